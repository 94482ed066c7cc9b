#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "profiling/driver/cublas.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// The streams, events and cuBLAS handles that the launch plans of a runner share. They must be made before a
/// plan is launched.
class HostResources {
 public:
  /// `first` is the runner's stream. It becomes stream 0, and must outlive this object.
  explicit HostResources(CUstream first) : first_(first) {}

  /// Makes the streams and events for a plan with `streams` streams.
  void make_streams(std::size_t streams);
  /// Makes the cuBLAS handle of a stream. Throws `base::MachineError` when cuBLAS is missing.
  void make_cublas(std::size_t stream);

  CUstream stream(std::size_t i) const { return i == 0 ? first_ : streams_.at(i - 1).get(); }
  /// An event of stream `i`. Other streams can wait for it.
  CUevent event(std::size_t i) const { return events_.at(i).get(); }
  cublasContext* cublas(std::size_t stream) const { return cublas_.at(stream)->on(this->stream(stream)); }

 private:
  CUstream first_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<std::unique_ptr<CublasHandle>> cublas_;  ///< By stream.
};

}  // namespace warptune::profiling::driver
