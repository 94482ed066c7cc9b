#pragma once

#include <cstdint>
#include <vector>

#include "profiling/tracing/program_timeline.h"

namespace warptune::profiling::tracing {

/// A kernel, a copy or a fill that ran on the GPU. Times are those of `ActivityTrace::now`.
struct TracedActivity {
  StepKind kind = StepKind::kLaunch;  ///< `kLaunch`, `kCopy` or `kFill`.
  std::uint32_t correlation = 0;      ///< The number that CUPTI gave the call that submitted it.
  TimeSpan time;
  std::uint64_t bytes = 0;   ///< How many bytes a copy or a fill moves.
  bool from_host = false;    ///< Whether a copy reads memory of the host.
  bool to_host = false;      ///< Whether a copy writes memory of the host.
  TracedKernel kernel = {};  ///< What a launch launched.
};

/// A call of the CUDA API.
struct TracedCall {
  std::uint32_t correlation = 0;
  TimeSpan time;
};

/// What CUPTI recorded.
struct TraceRecords {
  std::vector<TracedActivity> activities;
  std::vector<TracedCall> calls;
  std::uint64_t dropped = 0;  ///< Records that CUPTI lost.
};

/// Records what this process does on GPUs, by CUPTI's activity records, while the object exists. A process
/// may make one of them in its life: CUPTI's times are wrong after its clock was set a second time (pytorch
/// issue 192021). Hardware counters cannot be read meanwhile.
class ActivityTrace {
 public:
  /// Begins to record. A graph must be made after this, so that its nodes are recorded. Throws
  /// `base::MachineError` when CUPTI is missing, is older than CUDA 13, or refuses.
  ActivityTrace();
  ~ActivityTrace();
  ActivityTrace(const ActivityTrace&) = delete;
  ActivityTrace& operator=(const ActivityTrace&) = delete;

  /// Returns what was recorded since the last call. All work must have ended. Throws `CuptiError`.
  TraceRecords take();
  /// Nanoseconds of the clock of all records, that of `CLOCK_MONOTONIC`.
  static std::int64_t now();
};

}  // namespace warptune::profiling::tracing
