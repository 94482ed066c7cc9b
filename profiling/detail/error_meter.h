#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "kernel_templates/compiler.h"
#include "kernel_templates/data_type.h"
#include "profiling/detail/cuda_driver.h"
#include "profiling/detail/device_helpers.h"
#include "search/gpu_description.h"
#include "search/measurement.h"

namespace warptune::profiling::detail {

/// How far found elements are from the expected ones, over all that are finite in both. Written by the
/// device: the layout is its kernels', too.
struct ErrorSums {
  double max_absolute = 0.0;
  double max_relative = 0.0;    ///< Over those whose expected value is not 0, as the sum.
  double relative_sum = 0.0;    ///< Of |x - r| / |r|.
  std::uint64_t relatives = 0;  ///< How many the sum has.
  std::uint64_t max_ulp = 0;    ///< Representable values of the type from r to x.
  std::uint64_t compared = 0;

  /// `error_max_absolute`, `error_max_relative`, `error_mean_relative`, `error_max_ulp`.
  void add_to(search::Counters& counters) const;
};

/// The program that measures errors, for one architecture.
kernel_templates::CompileRequest error_meter_program(const search::GpuDescription& gpu);

/// Measures errors of buffers of floating types on the device.
class ErrorMeter {
 public:
  /// `compile_cache`: where the kernels may lie compiled; empty: none. Throws `base::MachineError` when NVRTC
  /// is missing.
  ErrorMeter(const search::GpuDescription& gpu, CUstream stream, const std::filesystem::path& compile_cache);

  /// Enqueues one pair of buffers.
  void add(kernel_templates::DataType type, CUdeviceptr found, MaskedMemory expected, std::uint64_t count);
  /// Waits: the errors of all pairs since the last call.
  ErrorSums collect();

 private:
  CUstream stream_;
  unsigned blocks_;
  Module module_;
  std::map<kernel_templates::DataType, CUfunction> functions_;
  DeviceMemory sums_;
};

}  // namespace warptune::profiling::detail
