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

class PaddedBuffer;

inline constexpr std::size_t kGuardBytes = 256;

/// Returns the contents of a guard at byte `i`. A guard is memory before or after a buffer that reveals
/// writes outside of the buffer. Neighbouring bytes differ, so that constant values or a shifted guard are
/// noticed.
constexpr std::uint8_t guard_byte(std::size_t i) {
  return static_cast<std::uint8_t>((i * 37U + 0x5BU) & 0xFFU);
}

/// The result of one check on the device. The helper kernels use the same layout.
struct CheckResult {
  /// The number of wrong elements or guard bytes. For a checksum it is the sum.
  std::uint64_t count = 0;
  /// The bitwise complement of the first wrong element's index, which a kernel finds with an atomic maximum.
  /// It is 0 when no element is wrong.
  std::uint64_t first_complement = 0;
  double largest_error = 0.0;

  std::uint64_t first() const { return ~first_complement; }
};

/// Memory whose 8-byte words are masked with a keystream. So a kernel under test that finds the expected
/// results here cannot copy them. The key of each word is `base::split_mix64(key + word)`.
struct MaskedMemory {
  CUdeviceptr data = 0;
  std::uint64_t key = 0;
};

/// The duration of a kernel that kept the GPU busy. The kernel writes it, and uses the same layout.
struct SpinRecord {
  std::uint64_t cycles = 0;  ///< Cycles of the SM's clock.
  std::uint64_t ns = 0;

  /// The SM clock, or 0 when nothing was recorded.
  double mhz() const { return ns == 0 ? 0.0 : static_cast<double>(cycles) * 1e3 / static_cast<double>(ns); }
};

/// The kernels that check buffers and keep the device busy. They are compiled once for each process, for its
/// GPU's architecture.
///
/// A check is enqueued and gets a slot. `collect` waits for all checks and returns the results in the order
/// in which they were enqueued.
class DeviceHelpers {
 public:
  /// `compile_cache` is a folder for compiled kernels. If the path is empty, nothing is kept. Throws
  /// `base::MachineError` when NVRTC is missing.
  DeviceHelpers(const model::GpuDescription& gpu, CUstream stream,
                const std::filesystem::path& compile_cache);

  /// Compares the elements of two buffers. An element x equals the reference r if both are NaN, both are the
  /// same infinity, or |x - r| <= absolute + relative |r|.
  void compare(kernel_templates::DataType type, CUdeviceptr found, MaskedMemory expected, std::uint64_t count,
               kernel_templates::Tolerance tolerance);
  /// Checks the guards before and after a buffer. Byte indices 0 to 255 are before it, 256 to 511 after it.
  void check_guards(CUdeviceptr before, CUdeviceptr after);
  /// Checks the padding of rows. The index of a byte counts the bytes of padding only.
  void check_padding(const PaddedBuffer& rows);
  /// Computes a 64-bit sum that changes with the value and the position of any byte.
  void checksum(CUdeviceptr data, std::uint64_t bytes);

  /// Waits for the enqueued checks, and returns their results in order.
  std::vector<CheckResult> collect();

  /// Copies `bytes` bytes and masks the copy. Both addresses are aligned to 16 bytes. The target has room for
  /// a whole number of 8-byte words.
  void mask(CUdeviceptr source, MaskedMemory target, std::uint64_t bytes) const;
  /// Exchanges the contents of two buffers. Both are aligned to 16 bytes.
  void exchange(CUdeviceptr a, CUdeviceptr b, std::uint64_t bytes) const;

  /// Keeps the GPU busy for a number of SM cycles, so that the work that is enqueued next starts without
  /// waiting for the host. `record` is in pinned host memory and receives the duration. It may be null.
  void keep_busy(std::uint64_t cycles, SpinRecord* record) const;
  /// Reads memory that holds zeros, so that it displaces everything else in the L2 cache.
  void sweep(CUdeviceptr zeros, std::uint64_t bytes) const;
  /// Launches a kernel that takes a known time, measured with the GPU's own clock.
  void spin(std::uint64_t ns) const;
  /// The step of the GPU's timer in nanoseconds: 32 on an H200, about 1000 on older chips.
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
