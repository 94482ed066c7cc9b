#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/result.h"
#include "profiling/driver/cublas.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

/// The streams, events and cuBLAS handles that the launch plans of a runner share. They must be made before a
/// plan is launched.
class HostResources {
 public:
  /// `first` is the runner's stream. It is stream 0 of plans without priorities, and must outlive this
  /// object.
  explicit HostResources(CUstream first) : first_(first) {}

  /// The streams of a plan with `count` streams, and the events for them. They exist as long as this object.
  /// `priorities` has the driver's number for each stream, or is empty. A stream 0 with another priority than
  /// 0 is not the runner's stream.
  std::vector<CUstream> streams(std::size_t count, const std::vector<int>& priorities);
  /// Makes the cuBLAS handle of a stream. Throws `base::MachineError` when cuBLAS is missing.
  void make_cublas(CUstream stream);

  CUstream first() const { return first_; }
  /// An event of stream number `i`. Other streams can wait for it.
  CUevent event(std::size_t i) const { return events_.at(i).get(); }
  cublasContext* cublas(CUstream stream) const { return cublas_.at(stream)->on(stream); }

 private:
  CUstream first_;
  std::map<std::pair<std::size_t, int>, Stream> streams_;  ///< By their numbers and priorities.
  std::vector<Event> events_;
  std::map<CUstream, std::unique_ptr<CublasHandle>> cublas_;
};

/// The driver's number for each priority of a plan (`LaunchPlan::priorities`). Fails, with the reason, for a
/// number that the GPU of the current context does not have.
base::Result<std::vector<int>> driver_priorities(const std::vector<int>& priorities);

}  // namespace warptune::profiling::driver
