#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "profiling/detail/cuda_driver.h"
#include "profiling/kernel_runner.h"

namespace warptune::profiling::detail {

/// Times single launches with an event pair each, from a cold L2 cache where the buffers would else stay in
/// it.
class LaunchTimer {
 public:
  /// `flush_bytes` are written before each timed launch, outside the pair; 0 leaves the cache as it is. Then
  /// `hold` enqueues some work in its place: a launch that follows an idle GPU takes microseconds more, and
  /// several more at random.
  LaunchTimer(CUstream stream, std::size_t flush_bytes, std::function<void()> hold);

  bool flushes() const { return flush_bytes_ > 0; }
  void flush();
  /// `prepare` runs outside the timed part. Waits for the end; ns.
  double time_ns(const std::function<void()>& prepare, const std::function<void()>& launch);
  /// Warm-up and timed launches by a protocol. `warmed_ns`: launches that ran just before; `incumbent_ns` as
  /// in `KernelRunner::evaluate`.
  std::vector<double> sample(const TimingProtocol& protocol, double warmed_ns, double incumbent_ns,
                             const std::function<void()>& prepare, const std::function<void()>& launch);

 private:
  CUstream stream_;
  std::size_t flush_bytes_;
  std::function<void()> hold_;
  DeviceMemory flush_memory_;
  Event start_;
  Event stop_;
};

/// Bytes read and written a second by a device-to-device copy of a size that no cache holds.
double measure_copy_bandwidth(CUstream stream);

}  // namespace warptune::profiling::detail
