#pragma once

#include <cstdint>
#include <string>

#include "model/value.h"

namespace warptune::model {

/// What tells one GPU model from another, plus the limits that launches and expressions need. Plain numbers,
/// so that databases and recordings carry it without CUDA.
struct GpuDescription {
  std::string name;  ///< Marketing name.
  int compute_major = 0;
  int compute_minor = 0;
  int sm_count = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  std::int64_t memory_bandwidth_bytes_per_s = 0;  ///< Theoretical: 2 x memory clock x bus width / 8.
  std::int64_t max_clock_khz = 0;
  bool ecc = false;
  bool mig = false;
  std::int64_t max_threads_per_block = 1024;
  std::int64_t max_threads_per_sm = 2048;
  std::int64_t max_blocks_per_sm = 32;
  std::int64_t registers_per_sm = 65536;
  std::int64_t shared_bytes_per_block = 49152;        ///< Without opt-in.
  std::int64_t shared_bytes_per_block_optin = 49152;  ///< With opt-in.
  std::int64_t shared_bytes_per_sm = 65536;
  int warp_size = 32;
  std::string chip;  ///< CUPTI's chip name ("GH100"), empty when unknown.

  /// `sm_90`.
  std::string architecture() const;
  /// The database key: a hash of what changes speed (capability, SMs, L2, bandwidth, clock, ECC, MIG), not of
  /// the name.
  std::string key() const;
  /// For expressions: `device_sm_count`, `device_l2_bytes`, `device_compute_capability` (90),
  /// `device_max_threads_per_sm`, `device_registers_per_sm`, `device_shared_bytes_per_block_optin`,
  /// `device_shared_bytes_per_sm`, `device_max_threads_per_block`.
  NamedValues attributes() const;
  /// FP32 fused multiply-adds of one SM and clock by compute capability, as 2 operations each; CUDA C++
  /// Programming Guide, table "Throughput of Native Arithmetic Instructions". Times SMs and the maximum
  /// clock: FLOP/s.
  double peak_fp32_flops() const;

  bool operator==(const GpuDescription&) const = default;
};

/// The GPU that stands in where there is none: an H200's limits. For screening and tests.
GpuDescription fictional_gpu();

}  // namespace warptune::model
