// Repeating a captured launch, without the command line.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/gpu_description.h"
#include "profiling/captures/captured_launch.h"
#include "profiling/captures/launch_replay.h"
#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::benching {

/// Which capture to repeat, and how.
struct BenchRequest {
  std::filesystem::path capture;
  bool describe = false;  ///< Only say what the capture has. It needs no GPU.
  profiling::captures::ReplayOptions replay;
};

/// A repeated launch with what the rules of `profile` say about it.
struct RepeatedLaunch {
  model::GpuDescription gpu;
  profiling::captures::Replay replay;
  profiling::diagnosis::Diagnosis diagnosis;  ///< From a cold L2 cache. Empty if nothing was counted.
};

/// A capture, and what became of its launch.
struct Bench {
  profiling::captures::CapturedLaunch launch;
  std::optional<RepeatedLaunch> repeated;  ///< Absent if it was only described.
};

/// Reads the capture and repeats its launch on this machine's GPU, in this process. Throws `base::InputError`
/// for a file that is not a capture and for code that does not run on the GPU. Throws `base::MachineError` if
/// there is no GPU or the launch fails.
Bench bench(const BenchRequest& request);

}  // namespace warptune::tuner::benching
