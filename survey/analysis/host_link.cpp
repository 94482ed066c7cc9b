#include "survey/analysis/host_link.h"

#include <string_view>

namespace warptune::survey::analysis {

using records::CopyDirection;
using records::MemoryKind;

std::optional<double> host_link_bytes_per_s(const model::GpuDescription& gpu) {
  for (const std::string_view superchip : {"GH200", "GB200", "GB300"}) {
    if (gpu.name.find(superchip) != std::string::npos) return 450e9;
  }
  constexpr double kLanes = 16.0;
  constexpr double kBytesOfTransfer = 128.0 / 130.0 / 8.0;
  switch (gpu.compute_major) {
    case 7:
      return 8e9 * kLanes * kBytesOfTransfer;
    case 8:
      return 16e9 * kLanes * kBytesOfTransfer;
    case 9:
    case 10:
    case 12:
      return 32e9 * kLanes * kBytesOfTransfer;
    default:
      return std::nullopt;
  }
}

bool uses_host_link(CopyDirection direction) {
  return direction == CopyDirection::kHostToDevice || direction == CopyDirection::kDeviceToHost;
}

MemoryKind host_memory_of(CopyDirection direction, MemoryKind source, MemoryKind destination) {
  if (direction == CopyDirection::kHostToDevice) return source;
  return direction == CopyDirection::kDeviceToHost ? destination : MemoryKind::kUnknown;
}

}  // namespace warptune::survey::analysis
