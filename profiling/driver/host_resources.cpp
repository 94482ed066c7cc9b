#include "profiling/driver/host_resources.h"

namespace warptune::profiling::driver {

void HostResources::make_streams(std::size_t streams) {
  while (streams_.size() + 1 < streams) streams_.push_back(make_stream());
  while (events_.size() < streams) events_.push_back(make_order_event());
}

void HostResources::make_cublas(std::size_t stream) {
  if (cublas_.size() <= stream) cublas_.resize(stream + 1);
  if (!cublas_[stream])
    cublas_[stream] = std::make_unique<CublasHandle>(CublasMath::kDefault, this->stream(stream), true);
}

}  // namespace warptune::profiling::driver
