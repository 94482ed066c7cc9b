#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling::diagnosis {

/// The measurement and the counters of one configuration, and the context that its numbers need.
struct ProfiledLaunch {
  model::GpuDescription gpu;
  model::Measurement measurement;
  model::Work work;
  model::Roofs roofs;
  /// The launch of the main kernel. It is missing for a recording, which has no definition.
  std::optional<kernel_templates::LaunchStep> launch;
};

/// One line of a section. It is a number with its unit, or a text.
struct ProfileRow {
  std::string title;
  std::string metric;  ///< The name from CUPTI or warptune. Empty for a value that is computed here.
  double value = 0.0;
  std::string unit;  ///< As in the catalogue.
  std::string text;  ///< Used instead of a number if it is not empty.
};

struct ProfileSection {
  std::string title;
  std::vector<ProfileRow> rows;
  std::vector<std::string> missing;  ///< Metrics of the section that were not read.
};

/// Returns the sections of a profile in this order: speed of light, launch, occupancy, memory, shared memory,
/// instructions and pipes, divergence, schedulers and stalls, clocks and power. A section without any known
/// number has no rows.
std::vector<ProfileSection> profile_sections(const ProfiledLaunch& launch);

}  // namespace warptune::profiling::diagnosis
