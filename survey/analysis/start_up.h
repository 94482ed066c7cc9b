// Which part of a run is its start-up, and whether code is loaded in a loop.
#pragma once

#include <cstdint>

#include "survey/analysis/device_timeline.h"
#include "survey/analysis/survey_analysis.h"

namespace warptune::survey::analysis {

/// The calls that load device code after the first launch.
struct CodeLoads {
  /// Those between launches of one loop: a kernel that was launched before is launched again after the load.
  /// A program that launches its kernels one after another, each for the first time, has none.
  std::int64_t repeated = 0;
  /// Whether loads go on while the program runs. All launches, in the order in which the host gave them, are
  /// divided into 8 parts with equal numbers of launches. At least 4 parts must have a load that `repeated`
  /// counts.
  /// Drivers load code lazily, when a kernel is launched for the first time, and libraries load theirs at
  /// their first use. A program that repeats its work does that in its first round, so in the first part
  /// only.
  ///
  /// The parts have equal numbers of launches, not equal times, because the first round takes far longer than
  /// others. For 210 training steps (PyTorch on an H100), the loads took 37 % of the time from the first
  /// launch to the last. They came before 0.6 % of the launches had begun.
  bool in_loop = false;
};

CodeLoads code_loads(const records::Survey& survey);

/// The start-up of a run. It lasts until the first launch. If loads of code are not in a loop, later loads
/// can extend it. A load extends it to the load's end if two conditions hold. Fewer than an eighth of all
/// launches were given before the load. When the load begins, the run has lasted at most twice as long as the
/// start-up so far, which ends with the first launch or with an earlier load. The second condition keeps the
/// start-up of a long run short. A program without launches starts up until its first copy or fill.
StartUp start_up_of(const records::Survey& survey, const IntervalSet& observed, const CodeLoads& loads);

/// The part of the observed time from the end of the start-up to the end of the last activity.
IntervalSet steady_time(const records::Survey& survey, const IntervalSet& observed, const StartUp& start_up);

}  // namespace warptune::survey::analysis
