#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "model/measurement.h"

namespace warptune::profiling::diagnosis {

/// One configuration as measured and counted, with what its numbers refer to.
struct ProfiledLaunch {
  model::GpuDescription gpu;
  model::Measurement measurement;
  model::Work work;
  model::Roofs roofs;
  /// The main launch; nothing where the definition is not at hand (a recording).
  std::optional<kernel_templates::LaunchStep> launch;
};

/// One line of a section: a number with its unit, or a text.
struct ProfileRow {
  std::string title;
  std::string metric;  ///< CUPTI's or warptune's name; empty for what is computed here.
  double value = 0.0;
  std::string unit;  ///< As in the catalogue.
  std::string text;  ///< In place of a number.
};

struct ProfileSection {
  std::string title;
  std::vector<ProfileRow> rows;
  std::vector<std::string> missing;  ///< Metrics of the section that were not read.
};

/// What an engineer looks for in a profile, in this order: speed of light, launch, occupancy, memory, shared
/// memory, instructions and pipes, divergence, schedulers and stalls, clocks and power. A section of which
/// nothing is known has no rows.
std::vector<ProfileSection> profile_sections(const ProfiledLaunch& launch);

}  // namespace warptune::profiling::diagnosis
