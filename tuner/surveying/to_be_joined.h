// TO BE DELETED when the branches of the survey are joined, with to_be_joined.cpp. Declares what the branch
// of the analysis defines, so that this branch builds. Then survey_session.cpp includes these instead:
// survey/analysis/survey_comparison.h, tuner/text_output/surveys/survey_report.h and
// tuner/json_output/surveys/survey_json.h.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {
struct SurveyComparison {
  std::size_t before = 0;
  std::size_t after = 0;
};
SurveyComparison compare(const records::Survey& before, const SurveyAnalysis& before_analysis,
                         const records::Survey& after, const SurveyAnalysis& after_analysis);
}  // namespace warptune::survey::analysis

namespace warptune::tuner::text_output::surveys {
std::string survey_report(const survey::records::Survey& survey,
                          const survey::analysis::SurveyAnalysis& analysis);
std::string survey_comparison_report(const survey::analysis::SurveyComparison& comparison);
}  // namespace warptune::tuner::text_output::surveys

namespace warptune::tuner::json_output::surveys {
nlohmann::ordered_json survey_json(const survey::records::Survey& survey,
                                   const survey::analysis::SurveyAnalysis& analysis);
nlohmann::ordered_json survey_comparison_json(const survey::analysis::SurveyComparison& comparison);
}  // namespace warptune::tuner::json_output::surveys
