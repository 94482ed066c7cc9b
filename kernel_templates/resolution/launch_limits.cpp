// Compares a launch with the limits of a GPU, and writes a message for the first limit that it exceeds.
#include "kernel_templates/resolution/launch_limits.h"

#include <fmt/format.h>

#include <cstddef>

namespace warptune::kernel_templates::resolution {

std::optional<std::string> limit_violation(const LaunchStep& step, const model::GpuDescription& gpu) {
  if (step.block[0] > kMaxBlock[0] || step.block[1] > kMaxBlock[1] || step.block[2] > kMaxBlock[2] ||
      step.block[0] * step.block[1] * step.block[2] > gpu.max_threads_per_block) {
    return fmt::format("{} has {}x{}x{} threads per block, but the GPU allows {}", step.entry, step.block[0],
                       step.block[1], step.block[2], gpu.max_threads_per_block);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (step.grid[i] > kMaxGrid[i]) {
      return fmt::format("{} has {} blocks in dimension {}, but the GPU allows {}", step.entry, step.grid[i],
                         i, kMaxGrid[i]);
    }
  }
  if (step.shared_bytes > gpu.shared_bytes_per_block_optin) {
    return fmt::format("{} needs {} bytes of dynamic shared memory per block, but the GPU allows {}",
                       step.entry, step.shared_bytes, gpu.shared_bytes_per_block_optin);
  }
  return std::nullopt;
}

}  // namespace warptune::kernel_templates::resolution
