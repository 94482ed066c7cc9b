// Small launches of one kernel that follow each other in one stream.
#pragma once

#include <cstddef>
#include <vector>

#include "survey/analysis/survey_facts.h"

namespace warptune::survey::analysis::findings {

/// Launches of one shape that follow each other in one stream without other work between them. Each was given
/// to the GPU before the one before it ended.
struct KernelRun {
  std::vector<std::size_t> works;  ///< Into `DeviceTimeline::work`.
};

/// The runs of at least 4 launches whose grid fills at most half of the GPU. Each launch takes 10 us to 1 ms:
/// shorter ones are limited by launches, and for a longer one its own grid is what matters.
std::vector<KernelRun> small_kernel_runs(const SurveyFacts& facts, const DeviceFacts& device);

}  // namespace warptune::survey::analysis::findings
