#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::profiling::driver {

inline constexpr std::size_t kGuardBytes = 256;

/// What stands in a guard at byte `i`: no two neighbours alike, so that no constant or shifted write goes
/// unseen.
constexpr std::uint8_t guard_byte(std::size_t i) {
  return static_cast<std::uint8_t>((i * 37U + 0x5BU) & 0xFFU);
}

/// What one check on the device found. Shared with the helper kernels: the layout is theirs too.
struct CheckResult {
  std::uint64_t count = 0;             ///< Elements (or guard bytes) that are wrong; a checksum's sum.
  std::uint64_t first_complement = 0;  ///< ~index of the first wrong one; 0 when there is none.
  double largest_error = 0.0;

  std::uint64_t first() const { return ~first_complement; }
};

/// Memory whose words of 8 bytes are covered by a keystream, `base::split_mix64(key + word)` for each: a
/// kernel that finds it learns nothing from it.
struct MaskedMemory {
  CUdeviceptr data = 0;
  std::uint64_t key = 0;
};

/// How long a holding kernel took. Written by the device: the layout is its kernels', too.
struct SpinRecord {
  std::uint64_t cycles = 0;  ///< Of the SM's clock.
  std::uint64_t ns = 0;

  /// 0 when nothing was recorded.
  double mhz() const { return ns == 0 ? 0.0 : static_cast<double>(cycles) * 1e3 / static_cast<double>(ns); }
};

/// The kernels that check buffers and hold the device, compiled once a process for its architecture.
///
/// A check is enqueued and gets a slot; `collect` waits and returns the findings in the order of enqueuing.
class DeviceHelpers {
 public:
  /// `compile_cache`: where the kernels may lie compiled; empty: none. Throws `base::MachineError` when NVRTC
  /// is missing.
  DeviceHelpers(const model::GpuDescription& gpu, CUstream stream,
                const std::filesystem::path& compile_cache);

  /// Compares elements: both NaN or the same infinity is equal, one NaN is not, |x - r| <= absolute +
  /// relative |r|.
  void compare(kernel_templates::DataType type, CUdeviceptr found, MaskedMemory expected, std::uint64_t count,
               kernel_templates::Tolerance tolerance);
  /// The guards before and after a buffer; byte indices 0..255 lie before, 256..511 after.
  void check_guards(CUdeviceptr before, CUdeviceptr after);
  /// A 64-bit sum that changes with any byte and its place.
  void checksum(CUdeviceptr data, std::uint64_t bytes);

  std::vector<CheckResult> collect();

  /// Copies `bytes` under a mask. Both are aligned to 16 bytes; the target has room for whole words of 8.
  void mask(CUdeviceptr source, MaskedMemory target, std::uint64_t bytes) const;
  /// What two buffers hold changes places; both are aligned to 16 bytes.
  void exchange(CUdeviceptr a, CUdeviceptr b, std::uint64_t bytes) const;

  /// Keeps the GPU busy for some SM cycles, so that what is enqueued next starts without waiting for the
  /// host. `record`, pinned host memory or null, then holds how long that took.
  void hold(std::uint64_t cycles, SpinRecord* record) const;
  /// Reads memory that holds zeros: what else was in the L2 cache is not any more.
  void sweep(CUdeviceptr zeros, std::uint64_t bytes) const;
  /// A kernel that takes a known time by the GPU's own clock.
  void spin(std::uint64_t ns) const;
  /// The least step of the GPU's nanosecond timer: 32 on an H200, some 1000 on older chips.
  double timer_step_ns() const { return timer_step_ns_; }

 private:
  CUdeviceptr next_slot();
  double measure_timer_step_ns() const;

  CUstream stream_;
  unsigned blocks_;
  Module module_;
  std::map<std::string, CUfunction> functions_;
  DeviceMemory slots_;
  std::size_t used_ = 0;
  double timer_step_ns_ = 0.0;
};

}  // namespace warptune::profiling::driver
