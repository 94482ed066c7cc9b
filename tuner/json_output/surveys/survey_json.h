#pragma once

#include <nlohmann/json.hpp>

#include "survey/analysis/survey_analysis.h"
#include "survey/analysis/survey_comparison.h"

namespace warptune::tuner::json_output::surveys {

/// The output of `warptune survey --format json`. It has the analysis, and no single records.
nlohmann::ordered_json survey_json(const survey::records::Survey& survey,
                                   const survey::analysis::SurveyAnalysis& analysis);

/// The output of `warptune survey --compare FILE --format json`: all changes above the noise.
nlohmann::ordered_json survey_comparison_json(const survey::analysis::SurveyComparison& comparison);

}  // namespace warptune::tuner::json_output::surveys
