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

/// The errors of found elements against the expected ones, over all pairs in which both are finite. x is the
/// found value and r the expected one. The device writes this structure, so its kernels use the same layout.
struct ErrorSums {
  double max_absolute = 0.0;
  /// The maximum of |x - r| / |r|. This and the sum are only over pairs whose expected value is not 0.
  double max_relative = 0.0;
  double relative_sum = 0.0;    ///< The sum of |x - r| / |r|.
  std::uint64_t relatives = 0;  ///< The number of terms in the sum.
  /// The maximum error in ULP: how many representable values of the type lie from r to x.
  std::uint64_t max_ulp = 0;
  std::uint64_t compared = 0;  ///< The number of pairs.

  /// Adds `error_max_absolute`, `error_max_relative`, `error_mean_relative` and `error_max_ulp`.
  void add_to(model::Counters& counters) const;
};

/// Returns the program that measures errors, for the architecture of one GPU.
kernel_templates::CompileRequest error_meter_program(const model::GpuDescription& gpu);

/// Measures errors of floating-point buffers on the device.
class ErrorMeter {
 public:
  /// `compile_cache` is a folder for compiled kernels. If it is empty, nothing is kept. Throws
  /// `base::MachineError` when NVRTC is missing.
  ErrorMeter(const model::GpuDescription& gpu, CUstream stream, const std::filesystem::path& compile_cache);

  /// Enqueues the comparison of one pair of buffers.
  void add(kernel_templates::DataType type, CUdeviceptr found, driver::MaskedMemory expected,
           std::uint64_t count);
  /// Waits, and returns the errors of all pairs since the last call.
  ErrorSums collect();

 private:
  CUstream stream_;
  unsigned blocks_;
  driver::Module module_;
  std::map<kernel_templates::DataType, CUfunction> functions_;
  driver::DeviceMemory sums_;
};

}  // namespace warptune::profiling::verification
