#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "profiling/driver/cublas.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// Streams, events and library handles that the plans of a runner share, made before a plan is launched.
class HostResources {
 public:
  /// `first` is the runner's stream, number 0; it must outlive this.
  explicit HostResources(CUstream first) : first_(first) {}

  /// Makes what a plan with `streams` streams needs.
  void make_streams(std::size_t streams);
  /// Throws `base::MachineError` where cuBLAS is missing.
  void make_cublas(std::size_t stream);

  CUstream stream(std::size_t i) const { return i == 0 ? first_ : streams_.at(i - 1).get(); }
  /// An event of the stream, to order others by.
  CUevent event(std::size_t i) const { return events_.at(i).get(); }
  cublasContext* cublas(std::size_t stream) const { return cublas_.at(stream)->on(this->stream(stream)); }

 private:
  CUstream first_;
  std::vector<Stream> streams_;
  std::vector<Event> events_;
  std::vector<std::unique_ptr<CublasHandle>> cublas_;  ///< By stream.
};

}  // namespace warptune::profiling::driver
