#include "tuner/checking/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace warptune::tuner::checking {

namespace {

// A row for each capability. The limits of an SM are those of the CUDA C++ Programming Guide, table
// "Technical Specifications per Compute Capability". SMs and L2 are those of the GPU that is named.
struct Row {
  int capability;
  const char* gpu;
  int sm_count;
  int l2_mib;
  int threads_per_sm;
  int blocks_per_sm;
  int shared_kib_per_sm;
  int shared_kib_per_block;
};
constexpr std::array<Row, 9> kRows = {{{75, "Tesla T4", 40, 4, 1024, 16, 64, 64},
                                       {80, "A100", 108, 40, 2048, 32, 164, 163},
                                       {86, "A10", 72, 6, 1536, 16, 100, 99},
                                       {87, "Jetson AGX Orin", 16, 4, 1536, 16, 164, 163},
                                       {89, "L40S", 142, 96, 1536, 24, 100, 99},
                                       {90, "H200", 132, 60, 2048, 32, 228, 227},
                                       {100, "B200", 148, 126, 2048, 32, 228, 227},
                                       {103, "B300", 148, 126, 2048, 32, 228, 227},
                                       {120, "RTX 5090", 170, 96, 1536, 24, 100, 99}}};

}  // namespace

std::optional<model::GpuDescription> gpu_of_capability(int capability) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.capability == capability; });
  if (row == kRows.end()) return std::nullopt;
  model::GpuDescription gpu;
  gpu.name = fmt::format("any GPU of compute capability {}.{} (limits of the {})", capability / 10,
                         capability % 10, row->gpu);
  gpu.compute_major = capability / 10;
  gpu.compute_minor = capability % 10;
  gpu.sm_count = row->sm_count;
  gpu.l2_bytes = std::int64_t{row->l2_mib} << 20;
  gpu.max_threads_per_sm = row->threads_per_sm;
  gpu.max_blocks_per_sm = row->blocks_per_sm;
  gpu.shared_bytes_per_block_optin = std::int64_t{row->shared_kib_per_block} * 1024;
  gpu.shared_bytes_per_sm = std::int64_t{row->shared_kib_per_sm} * 1024;
  return gpu;
}

std::vector<int> known_capabilities() {
  std::vector<int> capabilities;
  capabilities.reserve(kRows.size());
  for (const Row& row : kRows) capabilities.push_back(row.capability);
  return capabilities;
}

}  // namespace warptune::tuner::checking
