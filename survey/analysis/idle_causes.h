// Why a GPU was idle, from what the program's threads did meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "survey/analysis/device_timeline.h"
#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

/// The cause that a call stands for while the GPU is idle. A fill counts as a launch. A call that takes no
/// part in this, such as `cudaEventRecord`, counts as the host's own work.
IdleCause cause_of(records::CallKind kind);

/// The cause that a call of a survey stands for. A call that allocates or frees memory in the order of a
/// stream (`cudaMallocAsync`, `cudaFreeAsync`) usually only gives work to the GPU, so it counts as a launch.
/// If it takes `kLongHostWork` or longer, the pool had no memory left, and it counts as an allocation.
IdleCause cause_of(const records::Survey& survey, const records::Call& call);

/// The calls of the threads that use a GPU, as indices into `Survey::calls` in their order. A thread uses a
/// GPU if one of its calls gave work to it. If no work of the GPU has a known call, all threads of the
/// processes with a stream on it count.
std::vector<records::Index> calls_for_device(const records::Survey& survey, const DeviceTimeline& timeline);

/// The idle time of a GPU by its cause. The sets do not overlap, and their union is `timeline.idle`.
///
/// At each moment, the threads that use this GPU may do different things. The first of these that is true
/// says the cause:
/// 1. a thread is within a launch or a fill: `kLaunching`;
/// 2. a thread is within a copy: `kCopying`;
/// 3. a thread allocates or frees memory: `kAllocating`;
/// 4. a thread loads device code: `kLoading`;
/// 5. a thread waits for the GPU, and so do all others between their first and their last call: `kWaiting`;
/// 6. otherwise: `kHost`.
///
/// The order is that of nearness: a thread that is about to give work to the GPU ends the idle time, whatever
/// the others do.
std::array<IntervalSet, kIdleCauses> idle_by_cause(const records::Survey& survey,
                                                   const DeviceTimeline& timeline,
                                                   const std::vector<records::Index>& calls);

/// An interval between two activities of a GPU in which it was idle.
struct Gap {
  records::Interval time;
  std::array<std::int64_t, kIdleCauses> by_cause{};  ///< In nanoseconds.
  bool loads = false;  ///< A call that loads code is in it, or ended in it. So are the next two.
  bool allocates = false;
  bool waits = false;  ///< A call that waits for the GPU, or a synchronous copy, ended in it.
};

/// All gaps of a GPU that begin at `from` or later, in their order. What is before its first and after its
/// last activity does not count.
std::vector<Gap> gaps_of(const records::Survey& survey, const DeviceTimeline& timeline,
                         const std::vector<records::Index>& calls,
                         const std::array<IntervalSet, kIdleCauses>& idle, std::int64_t from);

/// What one kind of gaps costs.
struct GapCost {
  std::int64_t duration = 0;  ///< In nanoseconds.
  std::int64_t count = 0;     ///< Gaps with a part of it.
  std::int64_t longest = 0;   ///< The largest part within one gap.

  void add(std::int64_t part);
};

/// The gaps' time by what would have to change. Each moment belongs to at most one member. Idle time within
/// calls that copy belongs to none: the findings about copies count it.
struct GapCosts {
  GapCost loading;     ///< Code is loaded, with the host's work beside it, such as compiling.
  GapCost allocating;  ///< Memory is allocated or freed, and the launch that follows has to begin at once.
  GapCost host;        ///< The host's own work of at least `kLongHostWork` in one gap.
  GapCost waiting;     ///< The host had waited, so that nothing was queued when the GPU finished.
  GapCost launching;   ///< All else: the next launch comes too late.
};

/// The host's own work within one gap is a finding of its own from this time on, in nanoseconds. It is
/// several times the time of a launch, so that code that only launches does not reach it.
constexpr std::int64_t kLongHostWork = 50'000;

GapCosts gap_costs(const std::vector<Gap>& gaps);

}  // namespace warptune::survey::analysis
