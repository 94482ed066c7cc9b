// What ran on one GPU, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "survey/analysis/interval_set.h"
#include "survey/records/range_times.h"
#include "survey/records/survey.h"

namespace warptune::survey::analysis {

enum class WorkKind { kKernel, kCopy, kFill };

/// One launch, copy or fill.
struct Work {
  /// From the first to the last moment of it that was observed. In between, there may be time that was not.
  records::Interval time;
  records::Index stream = 0;
  records::Index call = records::kNone;
  WorkKind kind = WorkKind::kKernel;
  records::Index record = 0;  ///< Into `Survey::launches`, `copies` or `fills`, by its kind.
  std::int64_t observed = 0;  ///< How much of it was observed, in nanoseconds.
  std::int64_t alone = 0;     ///< How long it was observed and nothing else ran on the GPU, in nanoseconds.
};

/// The work of one GPU within the observed time.
struct DeviceTimeline {
  records::Index device = 0;
  std::vector<Work> work;       ///< In the order of their start.
  IntervalSet kernels;          ///< At least one kernel ran.
  IntervalSet transfers;        ///< At least one copy or fill ran.
  IntervalSet idle;             ///< Nothing ran.
  std::int64_t overlapped = 0;  ///< How long at least two elements of `work` ran at once, in nanoseconds.
};

/// Which work the tables of kernels and copies count. It is all work, unless the survey was limited to an
/// NVTX range. Then it is the work that was given to the GPU within the range, whenever it ran.
class WorkOfRun {
 public:
  /// The survey must outlive it.
  explicit WorkOfRun(const records::Survey& survey) : survey_(survey), ranges_(survey, survey.run.range) {}

  bool has(const records::Activity& activity) const {
    return ranges_.empty() || ranges_.has_work(survey_, activity);
  }

 private:
  const records::Survey& survey_;
  records::RangeTimes ranges_;
};

/// The part of the run in which all work is listed, as far as is known. It is the survey's window. If the
/// survey was limited to an NVTX range, it is the ranges of that name within the window.
///
/// It ends early in two cases. In the first, a process reached its limit of records. In the second,
/// `Process::problem` says why records of a process are missing, but at least some of its work is listed. In
/// both cases, the observed time ends where the last listed work of this process ends. If there are several
/// such processes, the earliest of these ends counts. If a process reached its limit before any of its work
/// was listed, the observed time is empty.
IntervalSet observed_time(const records::Survey& survey);

/// Whether a GPU may have worked while no work is listed, because records are missing. This is possible
/// within the observed time, too. The function returns true in two cases. In the first, CUPTI lost records of
/// a process, or its tables of names and shapes were full. In the second, `Process::problem` says why records
/// of a process are missing, and none of its work is listed. The second case leaves out a process whose calls
/// are listed, if none of these calls gave work to a GPU.
bool idle_is_uncertain(const records::Survey& survey);

/// The timelines of all GPUs, in the order of `Survey::devices`. Work outside of `observed` is left out. Work
/// that reaches over several parts of it counts in each of them. Takes O(n log n) for n records.
std::vector<DeviceTimeline> device_timelines(const records::Survey& survey, const IntervalSet& observed);

}  // namespace warptune::survey::analysis
