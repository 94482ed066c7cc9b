// Repeats a captured launch alone on a GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/captures/captured_launch.h"
#include "profiling/measuring_options.h"

namespace warptune::profiling::captures {

/// How a captured launch is repeated.
struct ReplayOptions {
  int ordinal = 0;             ///< The number that the driver gives the GPU.
  MeasuringOptions measuring;  ///< Used: `count`, `metrics` and `compile_cache`.
};

/// What the repeated launch did.
struct Replay {
  /// The times from a cold L2 cache, as `tune` measures them, the resources, and the counters of one launch.
  model::Measurement measurement;
  /// The times of launches that follow one with the same contents and the copies that restore its buffers.
  std::vector<double> warm_samples_ns;
  std::optional<model::TimeSummary> warm;
  /// The times of launches that do not wait for the host, as a survey sees them. Between them, copies
  /// restore the buffers that the launch changes. Empty if CUPTI records nothing.
  std::vector<double> in_a_row_samples_ns;
  std::optional<model::TimeSummary> in_a_row;
  model::Roofs roofs;                         ///< Those that were measured, and the theoretical one.
  std::vector<BufferDifference> differences;  ///< Those that the first launch left.
  std::string counter_problem;                ///< Why counters are missing, or an empty text.
  std::vector<std::string> warnings;
};

/// Loads the code, restores the contents of all buffers, and launches. Before each launch, buffers that the
/// launch changes are restored. Throws `base::InputError` if the GPU cannot run the code, and
/// `base::MachineError` if there is too little memory or the launch fails.
Replay replay(const CapturedLaunch& launch, const model::GpuDescription& gpu, const ReplayOptions& options);

}  // namespace warptune::profiling::captures
