#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/value.h"

namespace warptune::model {

/// The properties that distinguish GPU models, and the limits that launches and expressions need. They are
/// plain numbers, so that databases and recordings need no CUDA.
struct GpuDescription {
  std::string name;  ///< Marketing name.
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< The peak: 2 x memory clock x bus width / 8. 0: unknown.
  std::int64_t max_clock_khz = 0;
  bool ecc = false;
  bool mig = false;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_sm = 2048;
  std::int64_t max_blocks_per_sm = 32;
  std::int64_t registers_per_sm = 65536;
  std::int64_t shared_bytes_per_block = 49152;        ///< The limit without opt-in.
  std::int64_t shared_bytes_per_block_optin = 49152;  ///< The limit with opt-in.
  std::int64_t shared_bytes_per_sm = 65536;
  int warp_size = 32;
  std::string chip;  ///< CUPTI's name of the chip ("GH100"); empty when unknown.

  /// The name of the architecture, such as `sm_90`.
  std::string architecture() const;
  /// The key in the database. It is a hash of what changes the speed (capability, SMs, L2, bandwidth, clock,
  /// ECC, MIG). The name is not part of it.
  std::string key() const;
  /// The names that expressions may use: `device_sm_count`, `device_l2_bytes`, `device_compute_capability`
  /// (90), `device_memory_bandwidth_bytes_per_s`, `device_max_threads_per_sm`, `device_registers_per_sm`,
  /// `device_shared_bytes_per_block_optin`, `device_shared_bytes_per_sm`, `device_max_threads_per_block`.
  NamedValues attributes() const;
  /// The theoretical FP32 peak in FLOP/s: FP32 multiply-adds of one SM and clock, times 2 operations, times
  /// SMs, times the maximum clock. The first number depends on the compute capability (CUDA C++ Programming
  /// Guide, table "Throughput of Native Arithmetic Instructions").
  double peak_fp32_flops() const;

  bool operator==(const GpuDescription&) const = default;
};

/// A fictional GPU with the limits of an H200. It is used for screening and for tests where there is no GPU.
GpuDescription fictional_gpu();

/// A GPU with the limits of a compute capability, and with everything else unknown. An unlisted minor version
/// has the limits of the nearest lower one. Returns std::nullopt for a major version that is not known.
std::optional<GpuDescription> gpu_of_capability(int major, int minor);

}  // namespace warptune::model
