#pragma once

#include <cstdint>
#include <filesystem>
#include <map>

#include "kernel_templates/compiler.h"
#include "kernel_templates/data_type.h"
#include "model/gpu_description.h"
#include "model/measurement.h"
#include "profiling/driver/cuda_driver.h"
#include "profiling/driver/device_helpers.h"

namespace warptune::profiling::verification {

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
  void add_to(model::Counters& counters) const;
};

/// The program that measures errors, for one architecture.
kernel_templates::CompileRequest error_meter_program(const model::GpuDescription& gpu);

/// Measures errors of buffers of floating types on the device.
class ErrorMeter {
 public:
  /// `compile_cache`: where the kernels may lie compiled; empty: none. Throws `base::MachineError` when NVRTC
  /// is missing.
  ErrorMeter(const model::GpuDescription& gpu, CUstream stream, const std::filesystem::path& compile_cache);

  /// Enqueues one pair of buffers.
  void add(kernel_templates::DataType type, CUdeviceptr found, driver::MaskedMemory expected,
           std::uint64_t count);
  /// Waits: the errors of all pairs since the last call.
  ErrorSums collect();

 private:
  CUstream stream_;
  unsigned blocks_;
  driver::Module module_;
  std::map<kernel_templates::DataType, CUfunction> functions_;
  driver::DeviceMemory sums_;
};

}  // namespace warptune::profiling::verification
