// The limits of a launch, and the messages for those that it exceeds.
#include "kernel_templates/resolution/launch_limits.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace warptune::kernel_templates::resolution {

std::optional<std::string> limit_violation(const LaunchStep& step, const model::GpuDescription& gpu) {
  // CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability": grid limits.
  constexpr std::array<std::int64_t, 3> kMaxBlocks{2147483647, 65535, 65535};
  if (step.block[0] > 1024 || step.block[1] > 1024 || step.block[2] > 64 ||
      step.block[0] * step.block[1] * step.block[2] > gpu.max_threads_per_block) {
    return fmt::format("{} has {}x{}x{} threads per block, but the GPU allows {}", step.entry, step.block[0],
                       step.block[1], step.block[2], gpu.max_threads_per_block);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    if (step.grid[i] > kMaxBlocks[i]) {
      return fmt::format("{} has {} blocks in dimension {}, but the GPU allows {}", step.entry, step.grid[i],
                         i, kMaxBlocks[i]);
    }
  }
  if (step.shared_bytes > gpu.shared_bytes_per_block_optin) {
    return fmt::format("{} needs {} bytes of dynamic shared memory per block, but the GPU allows {}",
                       step.entry, step.shared_bytes, gpu.shared_bytes_per_block_optin);
  }
  return std::nullopt;
}

}  // namespace warptune::kernel_templates::resolution
