#include "profiling/driver/host_resources.h"

#include <fmt/format.h>

#include "kernel_templates/launch_plan.h"

namespace warptune::profiling::driver {

std::vector<CUstream> HostResources::streams(std::size_t count, const std::vector<int>& priorities) {
  while (events_.size() < count) events_.push_back(make_order_event());
  std::vector<CUstream> streams;
  for (std::size_t i = 0; i < count; ++i) {
    const int priority = priorities.empty() ? 0 : priorities.at(i);
    if (i == 0 && priority == 0) {
      streams.push_back(first_);
      continue;
    }
    Stream& stream = streams_[{i, priority}];
    if (!stream) stream = priority == 0 ? make_stream() : make_stream(priority);
    streams.push_back(stream.get());
  }
  return streams;
}

void HostResources::make_cublas(CUstream stream) {
  std::unique_ptr<CublasHandle>& handle = cublas_[stream];
  if (!handle) handle = std::make_unique<CublasHandle>(CublasMath::kDefault, stream, true);
}

base::Result<std::vector<int>> driver_priorities(const std::vector<int>& priorities) {
  std::vector<int> numbers;
  if (priorities.empty()) return numbers;
  const PriorityRange range = priority_range();
  for (std::size_t i = 0; i < priorities.size(); ++i) {
    const int wanted = priorities[i];
    if (wanted != kernel_templates::kHighestPriority && wanted < range.highest)
      return base::failure(
          fmt::format("the priority of stream {} is {}, but this GPU has those from {} (high) "
                      "to {} (low)",
                      i, wanted, range.highest, range.lowest));
    numbers.push_back(wanted == kernel_templates::kHighestPriority ? range.highest : wanted);
  }
  return numbers;
}

}  // namespace warptune::profiling::driver
