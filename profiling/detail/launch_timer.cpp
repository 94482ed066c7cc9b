#include "profiling/detail/launch_timer.h"

#include <algorithm>
#include <utility>

namespace warptune::profiling::detail {

LaunchTimer::LaunchTimer(CUstream stream, std::size_t flush_bytes, std::function<void()> hold)
    : stream_(stream),
      flush_bytes_(flush_bytes),
      hold_(std::move(hold)),
      start_(make_event()),
      stop_(make_event()) {
  if (flush_bytes > 0) flush_memory_ = allocate(flush_bytes, "the memory that flushes the L2 cache");
}

void LaunchTimer::flush() {
  if (flushes()) WARPTUNE_CUDA(cuMemsetD8Async(flush_memory_.get(), 0, flush_bytes_, stream_));
}

double LaunchTimer::time_ns(const std::function<void()>& prepare, const std::function<void()>& launch) {
  prepare();
  if (flushes()) {
    flush();
  } else {
    hold_();
  }
  WARPTUNE_CUDA(cuEventRecord(start_.get(), stream_));
  launch();
  WARPTUNE_CUDA(cuEventRecord(stop_.get(), stream_));
  WARPTUNE_CUDA(cuEventSynchronize(stop_.get()));
  float milliseconds = 0.0F;
  WARPTUNE_CUDA(cuEventElapsedTime(&milliseconds, start_.get(), stop_.get()));
  return static_cast<double>(milliseconds) * 1e6;
}

std::vector<double> LaunchTimer::sample(const TimingProtocol& protocol, double warmed_ns, double incumbent_ns,
                                        const std::function<void()>& prepare,
                                        const std::function<void()>& launch) {
  for (int i = 0; i < protocol.most_warm_ups && warmed_ns < protocol.warm_up_ms * 1e6; ++i) {
    warmed_ns += time_ns(prepare, launch);
  }
  std::vector<double> samples_ns;
  double spent_ns = 0.0;
  double best_ns = 0.0;
  const auto wanted = [&] {
    const int taken = static_cast<int>(samples_ns.size());
    if (taken >= protocol.most_samples) return false;
    const bool hopeless = taken > 0 && incumbent_ns > 0.0 && best_ns > protocol.hopeless_ratio * incumbent_ns;
    if (hopeless) return taken < std::min(protocol.least_samples, protocol.least_samples_hopeless);
    return taken < protocol.least_samples || spent_ns < protocol.sample_budget_ms * 1e6;
  };
  while (wanted()) {
    samples_ns.push_back(time_ns(prepare, launch));
    spent_ns += samples_ns.back();
    best_ns = samples_ns.size() == 1 ? samples_ns.back() : std::min(best_ns, samples_ns.back());
  }
  return samples_ns;
}

double measure_copy_bandwidth(CUstream stream) {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  WARPTUNE_CUDA(cuMemGetInfo(&free_bytes, &total_bytes));
  const std::size_t bytes = std::min<std::size_t>(std::size_t{1} << 30U, free_bytes / 4);
  const DeviceMemory from = allocate(bytes, "the copy roof");
  const DeviceMemory to = allocate(bytes, "the copy roof");
  const auto nothing = [] {};
  LaunchTimer timer(stream, 0, nothing);
  const auto copy = [&] { WARPTUNE_CUDA(cuMemcpyDtoDAsync(to.get(), from.get(), bytes, stream)); };
  for (int i = 0; i < 3; ++i) timer.time_ns(nothing, copy);
  constexpr int kSamples = 5;
  std::vector<double> samples_ns;
  samples_ns.reserve(kSamples);
  for (int i = 0; i < kSamples; ++i) samples_ns.push_back(timer.time_ns(nothing, copy));
  return 2.0 * static_cast<double>(bytes) / (search::summarise(samples_ns).median_ns * 1e-9);
}

}  // namespace warptune::profiling::detail
