#include "tuner/checking/architectures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace warptune::tuner::checking {

namespace {

// A common GPU for each compute capability, with its number of SMs and the size of its L2 cache. The limits
// of one SM come from `model::gpu_of_capability`.
struct Row {
  int capability;
  const char* gpu;
  int sm_count;
  int l2_mib;
};
constexpr std::array<Row, 9> kRows = {{{75, "Tesla T4", 40, 4},
                                       {80, "A100", 108, 40},
                                       {86, "A10", 72, 6},
                                       {87, "Jetson AGX Orin", 16, 4},
                                       {89, "L40S", 142, 96},
                                       {90, "H200", 132, 60},
                                       {100, "B200", 148, 126},
                                       {103, "B300", 148, 126},
                                       {120, "RTX 5090", 170, 96}}};

}  // namespace

std::optional<model::GpuDescription> typical_gpu(int capability) {
  const auto* row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& one) { return one.capability == capability; });
  if (row == kRows.end()) return std::nullopt;
  std::optional<model::GpuDescription> gpu = model::gpu_of_capability(capability / 10, capability % 10);
  if (!gpu) return std::nullopt;
  gpu->name = fmt::format("any GPU of compute capability {}.{} (limits of the {})", capability / 10,
                          capability % 10, row->gpu);
  gpu->sm_count = row->sm_count;
  gpu->l2_bytes = std::int64_t{row->l2_mib} << 20;
  return gpu;
}

std::vector<int> known_capabilities() {
  std::vector<int> capabilities;
  capabilities.reserve(kRows.size());
  for (const Row& row : kRows) capabilities.push_back(row.capability);
  return capabilities;
}

}  // namespace warptune::tuner::checking
