// The kernels of a survey as text for people.
#pragma once

#include <string>

#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::text_output::surveys {

/// The table of kernels. Below each of them is a line with the grid, the block, registers and memory of its
/// usual launch. Empty if there are no kernels.
std::string kernels_table(const survey::records::Survey& survey,
                          const survey::analysis::SurveyAnalysis& analysis);

}  // namespace warptune::tuner::text_output::surveys
