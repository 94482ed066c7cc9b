#pragma once

#include <nlohmann/json.hpp>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::survey_page {

/// The part of the page's data that is above and beside the timeline: how each GPU spent its time, the
/// kernels, the copies and the findings. Times are in nanoseconds.
nlohmann::ordered_json analysis_for_page(const survey::records::Survey& survey,
                                         const survey::analysis::SurveyAnalysis& analysis);

}  // namespace warptune::tuner::survey_page
