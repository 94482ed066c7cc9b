// CUPTI's range profiler on one context of the surveyed program. Each counted launch of a kernel is a range
// of its own: the profiler is started before it and stopped after it. If the metrics take several passes,
// CUPTI replays the kernel, and restores the memory that it wrote. A graph cannot be replayed so: in that
// mode, CUPTI does not run graphs at all. Each of its launches by the program is one pass instead.
#pragma once

#include <cstddef>
#include <cstdint>

#include "survey/collecting/raw_stream.h"
#include "survey/injected/counting/counting_functions.h"
#include "survey/injected/counting/planned_launches.h"

namespace warptune::survey::injected::counting {

/// What a call of CUPTI did. `step` names the call that failed.
struct CountingStep {
  CUptiResult code = CUPTI_SUCCESS;
  const char* step = nullptr;
  const char* problem = nullptr;  ///< A whole sentence, if the code does not say why.

  bool failed() const { return code != CUPTI_SUCCESS || problem != nullptr; }
};

/// The session of one context. One thread at a time uses it.
class CountingSession {
 public:
  CountingSession(const CountingFunctions& cupti, const PlannedLaunches& plan) : cupti_(cupti), plan_(plan) {}
  CountingSession(const CountingSession&) = delete;
  CountingSession& operator=(const CountingSession&) = delete;

  /// Switches the profiler on. It takes some milliseconds.
  CountingStep open(CUcontext context);
  /// Begins to count. The next launch of the context is counted.
  CountingStep start();
  /// Ends it. `ranges` is the number of launches that were counted since `start`.
  CountingStep stop(std::size_t& ranges);
  /// Begins to count what runs in the passes that follow, whatever it is. Passes of before are forgotten.
  CountingStep begin_range();
  /// Begins a pass of the range. The context must have nothing to do.
  CountingStep start_pass();
  /// Ends it. The context must have finished the pass. `is_last` says whether the range has all its passes.
  CountingStep stop_pass(bool& is_last);
  /// Reads what was counted into the record. `ranges` is their number, or 0 if counters are lost.
  CountingStep decode(std::size_t& ranges);
  /// Switches the profiler off. What begins later switches it on again.
  void close();
  /// The record of the last counted launch with its image after it: the content of a chunk.
  collecting::RawCounted* record() const { return record_; }
  std::size_t record_bytes() const;

 private:
  enum class Mode { kNone, kKernels, kRange };

  CountingStep find_config(CUcontext context);
  CountingStep allocate();
  /// Switches the profiler on and finds out how large its image is.
  CountingStep enable();
  /// CUPTI accepts one mode only, until it is switched off and on again.
  CountingStep configure(Mode mode);
  std::uint8_t* image() const { return reinterpret_cast<std::uint8_t*>(record_ + 1); }

  const CountingFunctions& cupti_;
  const PlannedLaunches& plan_;
  CUcontext context_ = nullptr;
  Mode mode_ = Mode::kNone;
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  std::uint32_t config_ = kNotPlanned;
  collecting::RawCounted* record_ = nullptr;
};

}  // namespace warptune::survey::injected::counting
