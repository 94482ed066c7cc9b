// Times single launches with a pair of events.
//
// A launch on an idle GPU takes some microseconds longer, by an amount that varies at random. Therefore a
// kernel first spins on the GPU for about 20 us. Meanwhile the host enqueues the first event, the launch and
// the second event, which then run without waiting for the host.
//
// The event pair has an overhead. The constructor finds it by timing a kernel that spins for a known time by
// the GPU's own timer. On an H200 the overhead is 2.8 us, constant within 0.05 us. It is subtracted from each
// sample. Another process on the GPU can make it seem longer. Then a short kernel would seem to take no time.
// Therefore samples are added, with pauses, until enough of them agree. If a launch still takes less than the
// overhead, the overhead is measured again, and the shortest samples count.
//
// The spinning kernels before and after the launch count cycles and nanoseconds. Their quotient is the SM
// clock during the sample. A sample at another clock than the session's is repeated up to kMaxRepeats times.
// If the clock differs each time, the sample is marked.
#include "profiling/timing/launch_timer.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "profiling/timing/event_overhead.h"

namespace warptune::profiling::timing {

namespace {

// The clock of a sample may differ from the session's clock by this share. If the GPU's timer has long steps,
// the tolerance is larger, because the measured clock is then less exact.
constexpr double kClockTolerance = 0.01;
constexpr double kHoldNs = 20000.0;  // About the time of `kHoldCycles` at 2 GHz.

constexpr int kOverheadSamples = 15;
constexpr int kMaxOverheadBatches = 10;
constexpr int kMaxContradictions = 5;
// Longer than the time slices of processes that share a GPU, which are about 2 ms.
constexpr std::chrono::milliseconds kOverheadPause{3};

}  // namespace

LaunchTimer::LaunchTimer(CUstream stream, const driver::DeviceHelpers& helpers, std::size_t flush_bytes,
                         bool flush_each)
    : stream_(stream),
      helpers_(helpers),
      flush_bytes_(flush_bytes),
      flush_each_(flush_each && flush_bytes > 0),
      start_(driver::make_event()),
      stop_(driver::make_event()),
      records_(driver::allocate_pinned(2 * sizeof(driver::SpinRecord), "the timer")),
      clock_(std::max(kClockTolerance, 2.0 * helpers.timer_step_ns() / kHoldNs)) {
  if (flush_bytes > 0) {
    flush_memory_ = driver::allocate(flush_bytes, "the memory that flushes the L2 cache");
    WARPTUNE_CUDA(cuMemsetD8Async(flush_memory_.get(), 0, flush_bytes, stream_));
  }
  measure_overhead();
}

void LaunchTimer::measure_overhead() {
  const double step_ns = helpers_.timer_step_ns();
  // Long enough that one step of the GPU's timer is at most 1 % of it.
  const double known_ns = std::max(20000.0, 100.0 * step_ns);
  for (int batch = 0; batch < kMaxOverheadBatches; ++batch) {
    if (batch > 0) std::this_thread::sleep_for(kOverheadPause);
    for (int i = 0; i < kOverheadSamples; ++i) {
      clock_.note(launch_between_events([] {}, [&] { helpers_.spin(static_cast<std::uint64_t>(known_ns)); },
                                        kHoldCycles));
      excess_ns_.push_back(raw_pair_ns() - known_ns);
    }
    if (is_overhead_certain(excess_ns_, step_ns)) break;
  }
  overhead_ns_ = event_overhead_ns(excess_ns_, step_ns);
}

// Also resets the lines that a kernel marked as persisting, because they would survive the sweep.
void LaunchTimer::flush() {
  if (flush_bytes_ == 0) return;
  WARPTUNE_CUDA(cuCtxResetPersistingL2Cache());
  helpers_.sweep(flush_memory_.get(), flush_bytes_);
}

double LaunchTimer::raw_pair_ns() {
  float milliseconds = 0.0F;
  WARPTUNE_CUDA(cuEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
  return static_cast<double>(milliseconds) * 1e6;
}

Sample LaunchTimer::time_once(const std::function<void()>& prepare, const std::function<void()>& launch,
                              std::uint64_t hold_cycles) {
  const double clock_mhz = launch_between_events(prepare, launch, hold_cycles);
  const double raw_ns = raw_pair_ns();
  if (raw_ns <= overhead_ns_ && contradictions_ < kMaxContradictions) {
    ++contradictions_;
    measure_overhead();
  }
  return {std::max(raw_ns - overhead_ns_, 1.0), clock_mhz, false};
}

// Returns the SM clock in MHz.
double LaunchTimer::launch_between_events(const std::function<void()>& prepare,
                                          const std::function<void()>& launch, std::uint64_t hold_cycles) {
  auto* records = static_cast<driver::SpinRecord*>(records_.get());
  prepare();
  if (flush_each_) flush();
  helpers_.keep_busy(hold_cycles, &records[0]);
  WARPTUNE_CUDA(cuEventRecord(start_.get(), stream_));
  launch();
  WARPTUNE_CUDA(cuEventRecord(stop_.get(), stream_));
  helpers_.keep_busy(kHoldCycles / 2, &records[1]);
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  return (records[0].mhz() + records[1].mhz()) / 2.0;
}

Sample LaunchTimer::repeat_off_clock(Repeat repeat, const std::function<Sample()>& time) {
  const int repeats = repeat == Repeat::kNever ? 0 : kMaxRepeats;
  Sample sample;
  for (int i = 0; i <= repeats; ++i) {
    sample = time();
    sample.off_clock = clock_.is_off(sample.sm_clock_mhz);
    clock_.note(sample.sm_clock_mhz);
    if (!sample.off_clock) break;
  }
  return sample;
}

Sample LaunchTimer::time(const std::function<void()>& prepare, const std::function<void()>& launch,
                         std::uint64_t hold_cycles, Repeat repeat) {
  return repeat_off_clock(repeat, [&] { return time_once(prepare, launch, hold_cycles); });
}

double LaunchTimer::time_bare_program_ns(const std::function<void()>& launch) {
  const auto started = std::chrono::steady_clock::now();
  launch();
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - started).count();
}

Sample LaunchTimer::time_program_once(const std::function<void()>& prepare,
                                      const std::function<void()>& launch) {
  auto* records = static_cast<driver::SpinRecord*>(records_.get());
  prepare();
  if (flush_each_) flush();
  helpers_.keep_busy(kHoldCycles, &records[0]);
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  const double ns = time_bare_program_ns(launch);
  helpers_.keep_busy(kHoldCycles / 2, &records[1]);
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  return {ns, (records[0].mhz() + records[1].mhz()) / 2.0, false};
}

Sample LaunchTimer::time_program(const std::function<void()>& prepare, const std::function<void()>& launch,
                                 Repeat repeat) {
  return repeat_off_clock(repeat, [&] { return time_program_once(prepare, launch); });
}

double LaunchTimer::time_bare_ns(const std::function<void()>& launch) {
  WARPTUNE_CUDA(cuEventRecord(start_.get(), stream_));
  launch();
  WARPTUNE_CUDA(cuEventRecord(stop_.get(), stream_));
  WARPTUNE_CUDA(cuStreamSynchronize(stream_));
  return std::max(raw_pair_ns() - overhead_ns_, 1.0);
}

}  // namespace warptune::profiling::timing
