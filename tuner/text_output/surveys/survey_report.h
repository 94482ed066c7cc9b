// A survey as text for people.
#pragma once

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/analysis/survey_comparison.h"

namespace warptune::tuner::text_output::surveys {

/// The text of a survey: how the run went, how busy each GPU was and why it was idle, what to do first, and
/// tables of kernels and copies. It fits on one screen: each table has at most 10 rows.
std::string survey_report(const survey::records::Survey& survey,
                          const survey::analysis::SurveyAnalysis& analysis);

/// The text of a comparison: warnings if the surveys are unlike, the run's time, and a table of what got
/// slower or faster.
std::string survey_comparison_report(const survey::analysis::SurveyComparison& comparison);

}  // namespace warptune::tuner::text_output::surveys
