#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_helpers.h"
#include "profiling/timing/clock_watch.h"

namespace warptune::profiling::timing {

/// One timed launch.
struct Sample {
  double ns = 0.0;
  double sm_clock_mhz = 0.0;  ///< Mean of before and after; 0 where the GPU's timer is too coarse to tell.
  bool off_clock = false;     ///< The clock differed from the session's, and did so again and again.
};

/// Times single launches with an event pair each, from a chosen state of the L2 cache.
///
/// A launch waits behind a kernel that spins for some 20 us, so that the host has enqueued all of it before
/// the GPU starts: a launch that follows an idle GPU takes microseconds more, and several more at random.
/// What the pair reads of a kernel of known length beyond that length (2.8 us on an H200, within 0.05 us) is
/// taken off. The spinning kernels before and after also tell the SM clock, as cycles over nanoseconds.
class LaunchTimer {
 public:
  /// `flush_bytes` of its own memory are read by a flush, to evict what earlier launches left in L2; 0: the
  /// cache is never touched. `flush_each`: before each timed launch, outside the pair. Measures the pair's
  /// own time. `helpers` must outlive the timer.
  LaunchTimer(CUstream stream, const driver::DeviceHelpers& helpers, std::size_t flush_bytes,
              bool flush_each);

  /// For how long the GPU spins before a timed launch: some 20 us, in which the host enqueues a
  /// configuration.
  static constexpr std::uint64_t kHoldCycles = 40000;
  /// Some 80 us, for launches of whose cost to the host nothing is known.
  static constexpr std::uint64_t kLongHoldCycles = 4 * kHoldCycles;

  bool flushes_each() const { return flush_each_; }
  /// Enqueues a flush.
  void flush();
  /// `prepare` runs outside the timed part. Waits for the end. Samples off the session's clock are taken
  /// again, a few times.
  Sample time(const std::function<void()>& prepare, const std::function<void()>& launch,
              std::uint64_t hold_cycles = kHoldCycles);
  /// Times a program of which the host is a part, by the host's clock: from before `launch` on an idle GPU
  /// until the host knows that all of it has ended. Nothing hides what submitting takes, nothing is taken
  /// off.
  Sample time_program(const std::function<void()>& prepare, const std::function<void()>& launch);
  /// The same with nothing before or after it, for a counted range.
  double time_bare_program_ns(const std::function<void()>& launch);
  /// Times `launch` where it stands, on a GPU that may be idle, with nothing before it: for a counted range,
  /// where nothing else may run. Reads some microseconds long.
  double time_bare_ns(const std::function<void()>& launch);

  double overhead_ns() const { return overhead_ns_; }

 private:
  Sample time_once(const std::function<void()>& prepare, const std::function<void()>& launch,
                   std::uint64_t hold_cycles);
  Sample time_program_once(const std::function<void()>& prepare, const std::function<void()>& launch);
  Sample repeat_off_clock(const std::function<Sample()>& time);
  double pair_ns();

  CUstream stream_;
  const driver::DeviceHelpers& helpers_;
  std::size_t flush_bytes_;
  bool flush_each_;
  driver::DeviceMemory flush_memory_;
  driver::Event start_;
  driver::Event stop_;
  driver::PinnedMemory records_;  ///< Two `SpinRecord`s: before and after.
  ClockWatch clock_;
  double overhead_ns_ = 0.0;
};

}  // namespace warptune::profiling::timing
