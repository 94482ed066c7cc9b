// Copies, fills and graphs of a survey as text for people.
#pragma once

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::text_output::surveys {

/// Each returns a table with its title, or an empty text if the survey has nothing of that.
std::string copies_table(const survey::analysis::SurveyAnalysis& analysis);
std::string fills_table(const survey::analysis::SurveyAnalysis& analysis);
std::string graphs_table(const survey::records::Survey& survey,
                         const survey::analysis::SurveyAnalysis& analysis);

}  // namespace warptune::tuner::text_output::surveys
