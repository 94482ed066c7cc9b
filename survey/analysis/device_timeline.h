// What ran on one GPU, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/analysis/interval_set.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

enum class WorkKind { kKernel, kCopy, kFill };

/// One launch, copy or fill.
struct Work {
  records::Interval time;
  records::Index stream = 0;
  records::Index call = records::kNone;
  WorkKind kind = WorkKind::kKernel;
  records::Index record = 0;  ///< Into `Survey::launches`, `copies` or `fills`, by its kind.
  std::int64_t alone = 0;     ///< How long nothing else ran on the GPU meanwhile, in nanoseconds.
};

/// The work of one GPU within the observed time.
struct DeviceTimeline {
  records::Index device = 0;
  std::vector<Work> work;       ///< In the order of their start.
  IntervalSet kernels;          ///< At least one kernel ran.
  IntervalSet transfers;        ///< At least one copy or fill ran.
  IntervalSet idle;             ///< Nothing ran.
  std::int64_t overlapped = 0;  ///< How long at least two of them ran at once, in nanoseconds.
};

/// The part of the run in which all work is listed. It is the survey's window. If the survey was limited to
/// an NVTX range, it is the ranges of that name within the window. If a process reached its limit of records,
/// it ends with the first such process's last listed work.
IntervalSet observed_time(const records::Survey& survey);

/// The timelines of all GPUs, in the order of `Survey::devices`. Work outside of `observed` is left out, and
/// work that begins or ends there is cut off. Takes O(n log n) for n records.
std::vector<DeviceTimeline> device_timelines(const records::Survey& survey, const IntervalSet& observed);

}  // namespace warptune::survey::analysis
