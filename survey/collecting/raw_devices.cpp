#include "survey/collecting/raw_devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "model/gpu_description.h"

namespace warptune::survey::collecting {

std::string uuid_text(const std::array<std::uint8_t, 16>& bytes, bool is_mig) {
  if (std::all_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte == 0; })) return {};
  std::string text = is_mig ? "MIG-" : "GPU-";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", bytes[i]);
  }
  return text;
}

records::Device device_of(const RawDevice& raw, const std::string& name) {
  const int major = static_cast<int>(raw.compute_major);
  const int minor = static_cast<int>(raw.compute_minor);
  records::Device device;
  model::GpuDescription& gpu = device.gpu;
  if (const std::optional<model::GpuDescription> known = model::gpu_of_capability(major, minor)) gpu = *known;
  gpu.name = name;
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.sm_count = static_cast<int>(raw.sm_count);
  gpu.l2_bytes = raw.l2_bytes;
  gpu.memory_bytes = static_cast<std::int64_t>(raw.memory_bytes);
  gpu.memory_bandwidth_bytes_per_s = static_cast<std::int64_t>(raw.memory_bandwidth_bytes_per_s);
  gpu.max_clock_khz = raw.max_clock_khz;
  gpu.ecc = raw.ecc != 0;
  gpu.mig = raw.mig != 0;
  gpu.max_threads_per_block = raw.max_threads_per_block;
  gpu.max_threads_per_sm = std::int64_t{raw.max_warps_per_sm} * raw.warp_size;
  gpu.max_blocks_per_sm = raw.max_blocks_per_sm;
  gpu.registers_per_sm = raw.registers_per_sm;
  gpu.shared_bytes_per_block = raw.shared_bytes_per_block;
  gpu.shared_bytes_per_sm = raw.shared_bytes_per_sm;
  gpu.warp_size = static_cast<int>(raw.warp_size);
  device.uuid = uuid_text(raw.uuid, raw.mig != 0);
  return device;
}

}  // namespace warptune::survey::collecting
