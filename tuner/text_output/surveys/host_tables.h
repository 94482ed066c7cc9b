// What a survey's host threads did, as text for people: calls of CUDA and NVTX ranges.
#pragma once

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::text_output::surveys {

/// Each returns a table with its title, or an empty text if the survey has nothing of that.
std::string calls_table(const survey::records::Survey& survey,
                        const survey::analysis::SurveyAnalysis& analysis);
std::string ranges_table(const survey::records::Survey& survey,
                         const survey::analysis::SurveyAnalysis& analysis);

}  // namespace warptune::tuner::text_output::surveys
