#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/timing/clock_watch.h"
#include "profiling/timing/sample.h"

namespace warptune::profiling::timing {

/// Times single launches, each with a pair of events, from a chosen state of the L2 cache. launch_timer.cpp
/// describes the method.
class LaunchTimer {
 public:
  /// `flush_bytes` is the size of the memory that a flush reads, to evict what earlier launches left in L2.
  /// With 0 the cache is never flushed. With `flush_each` it is flushed before each timed launch, outside of
  /// the event pair. The constructor measures the overhead of the pair. `helpers` must outlive the timer.
  LaunchTimer(CUstream stream, const driver::DeviceHelpers& helpers, std::size_t flush_bytes,
              bool flush_each);

  /// The GPU spins for this many cycles before a timed launch, about 20 us. Meanwhile the host enqueues the
  /// launches to be timed.
  static constexpr std::uint64_t kHoldCycles = 40000;
  /// About 80 us, for launches that may take the host longer to enqueue.
  static constexpr std::uint64_t kLongHoldCycles = 4 * kHoldCycles;

  /// Whether the cache is flushed before each timed launch.
  bool flushes_each() const { return flush_each_; }
  /// Enqueues a flush.
  void flush();
  /// Times one launch, and waits for its end. `prepare` runs outside of the timed part. If the clock differs
  /// from the session's clock, the launch and its preparation are repeated up to `kMaxRepeats` times, unless
  /// `repeat` is `kNever`.
  Sample time(const std::function<void()>& prepare, const std::function<void()>& launch,
              std::uint64_t hold_cycles = kHoldCycles, Repeat repeat = Repeat::kIfOffClock);
  /// Times a program that includes work of the host, with the host's clock. The time begins before `launch`,
  /// on an idle GPU, and ends when the host knows that all work has ended. It includes the time of
  /// submitting, and no overhead is subtracted.
  Sample time_program(const std::function<void()>& prepare, const std::function<void()>& launch,
                      Repeat repeat = Repeat::kIfOffClock);
  /// Does the same without any other work before or after it. It is for a counted range: the part of a run
  /// whose hardware events are counted.
  double time_bare_program_ns(const std::function<void()>& launch);
  /// Times `launch` at once on a GPU that may be idle, with nothing before it. It is for a counted range,
  /// where nothing else may run. The result is some microseconds too long.
  double time_bare_ns(const std::function<void()>& launch);

  /// The overhead of the event pair in ns, which is subtracted from each sample. It can become smaller: a
  /// launch that takes less than it shows that another process had disturbed its measurement.
  double overhead_ns() const { return overhead_ns_; }

 private:
  Sample time_once(const std::function<void()>& prepare, const std::function<void()>& launch,
                   std::uint64_t hold_cycles);
  Sample time_program_once(const std::function<void()>& prepare, const std::function<void()>& launch);
  Sample repeat_off_clock(Repeat repeat, const std::function<Sample()>& time);
  void measure_overhead();
  double launch_between_events(const std::function<void()>& prepare, const std::function<void()>& launch,
                               std::uint64_t hold_cycles);
  double raw_pair_ns();

  CUstream stream_;
  const driver::DeviceHelpers& helpers_;
  std::size_t flush_bytes_;
  bool flush_each_;
  driver::DeviceMemory flush_memory_;
  driver::Event start_;
  driver::Event stop_;
  driver::PinnedMemory records_;  ///< Two `SpinRecord`s: before and after.
  ClockWatch clock_;
  std::vector<double> excess_ns_;  ///< The samples of the overhead.
  double overhead_ns_ = 0.0;
  int contradictions_ = 0;  ///< How often a launch took less than the overhead.
};

}  // namespace warptune::profiling::timing
