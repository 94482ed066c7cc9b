#include "model/gpu_description.h"

#include <fmt/format.h>

#include <array>

#include "base/hash.h"

namespace warptune::model {

namespace {

struct Fp32Lanes {
  int capability;  // 90 means 9.0; a row applies from its capability up to the next row's.
  int lanes_per_sm;
};
// CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": 32-bit floating-point
// multiply-add.
constexpr std::array<Fp32Lanes, 6> kFp32Lanes = {
    {{50, 128}, {60, 64}, {61, 128}, {70, 64}, {86, 128}, {90, 128}}};

int fp32_lanes_per_sm(int capability) {
  int lanes = 0;
  for (const Fp32Lanes& row : kFp32Lanes) {
    if (capability >= row.capability) lanes = row.lanes_per_sm;
  }
  return lanes;
}

}  // namespace

std::string GpuDescription::architecture() const {
  return fmt::format("sm_{}{}", compute_major, compute_minor);
}

std::string GpuDescription::key() const {
  return base::hash_hex(fmt::format("capability={}.{} sms={} l2={} bandwidth={} clock={} ecc={:d} mig={:d}",
                                    compute_major, compute_minor, sm_count, l2_bytes,
                                    memory_bandwidth_bytes_per_s, max_clock_khz, ecc, mig));
}

NamedValues GpuDescription::attributes() const {
  return {{"device_sm_count", std::int64_t{sm_count}},
          {"device_l2_bytes", l2_bytes},
          {"device_memory_bandwidth_bytes_per_s", memory_bandwidth_bytes_per_s},
          {"device_compute_capability", std::int64_t{compute_major} * 10 + compute_minor},
          {"device_max_threads_per_sm", max_threads_per_sm},
          {"device_max_threads_per_block", max_threads_per_block},
          {"device_registers_per_sm", registers_per_sm},
          {"device_shared_bytes_per_block_optin", shared_bytes_per_block_optin},
          {"device_shared_bytes_per_sm", shared_bytes_per_sm}};
}

double GpuDescription::peak_fp32_flops() const {
  const double flops_per_clock = 2.0 * fp32_lanes_per_sm(compute_major * 10 + compute_minor) * sm_count;
  return flops_per_clock * static_cast<double>(max_clock_khz) * 1e3;
}

GpuDescription fictional_gpu() {
  GpuDescription gpu;
  gpu.name = "fictional GPU (limits of an NVIDIA H200)";
  gpu.compute_major = 9;
  gpu.compute_minor = 0;
  gpu.sm_count = 132;
  gpu.l2_bytes = std::int64_t{60} << 20;
  gpu.memory_bytes = 141'000'000'000;
  gpu.memory_bandwidth_bytes_per_s = 4'800'000'000'000;
  gpu.max_clock_khz = 1'980'000;
  gpu.ecc = true;
  gpu.shared_bytes_per_block_optin = 227 * 1024;
  gpu.shared_bytes_per_sm = 228 * 1024;
  gpu.chip = "GH100";
  return gpu;
}

std::optional<GpuDescription> gpu_of_capability(int major, int minor) {
  // CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability". A test compares it
  // with the toolkit's cuda_occupancy.h.
  struct Limits {
    int major, minor;
    std::int64_t threads_per_sm, blocks_per_sm, shared_kib_per_block, shared_kib_per_sm;
  };
  static constexpr Limits kLimits[] = {
      {7, 0, 2048, 32, 96, 96},    {7, 5, 1024, 16, 64, 64},    {8, 0, 2048, 32, 163, 164},
      {8, 6, 1536, 16, 99, 100},   {8, 7, 1536, 16, 163, 164},  {8, 9, 1536, 24, 99, 100},
      {9, 0, 2048, 32, 227, 228},  {10, 0, 2048, 32, 227, 228}, {10, 1, 1536, 24, 227, 228},
      {10, 3, 2048, 32, 227, 228}, {11, 0, 1536, 24, 227, 228}, {12, 0, 1536, 24, 99, 100}};
  const Limits* found = nullptr;
  for (const Limits& limits : kLimits) {
    if (limits.major == major && limits.minor <= minor) found = &limits;
  }
  if (found == nullptr) return std::nullopt;
  GpuDescription gpu;
  gpu.compute_major = major;
  gpu.compute_minor = minor;
  gpu.max_threads_per_sm = found->threads_per_sm;
  gpu.max_blocks_per_sm = found->blocks_per_sm;
  gpu.shared_bytes_per_block_optin = found->shared_kib_per_block * 1024;
  gpu.shared_bytes_per_sm = found->shared_kib_per_sm * 1024;
  return gpu;
}

}  // namespace warptune::model
