// The hardware counters of a survey as text for people.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey.h"

namespace warptune::tuner::text_output::surveys {

/// The metrics that matter of each counted kernel, its place under the roofs, and the findings of the rules
/// with their evidence. A note says what could not be counted. Empty if no counters were asked for.
std::string counters_report(const survey::records::Survey& survey,
                            const survey::analysis::SurveyAnalysis& analysis);

/// The metrics of the core set, each with its title and value: `DRAM traffic 134 MB`. If none of them was
/// counted, those that were, at most 20.
std::vector<std::string> metric_texts(const survey::analysis::CountedKernel& kernel);
/// What the kernel reaches under the roofs by theory, and what the run would gain if it were at its roof.
std::vector<std::string> roofline_texts(const survey::analysis::CountedKernel& kernel);

/// The grid or the block of a launch: `128x4`.
std::string sizes_text(const std::array<std::uint32_t, 3>& sizes);

}  // namespace warptune::tuner::text_output::surveys
