#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "kernel_templates/compiler.h"
#include "model/gpu_description.h"
#include "profiling/driver/device_buffers.h"
#include "profiling/timing/finalist_timing.h"
#include "profiling/verification/output_check.h"

namespace warptune::profiling::verification {

/// The program that measures how far two results are apart, for one architecture.
kernel_templates::CompileRequest deviation_program(const model::GpuDescription& gpu);

/// Finds out whether the results of one configuration differ from launch to launch on the same inputs, and by
/// how much.
///
/// Checksums of the outputs tell which launches differ. The outputs of the first launch are kept under a mask
/// where the GPU's memory has room; what differs from them is compared element by element. The kernels for
/// that are compiled when something differs for the first time.
class OutputDeviations {
 public:
  /// All must outlive the object. `compile_cache`: where the kernels may lie compiled; empty: none.
  OutputDeviations(const kernel_templates::KernelInstance& instance, driver::DeviceArguments& arguments,
                   driver::DeviceHelpers& helpers, OutputCheck& check, CUstream stream,
                   std::filesystem::path compile_cache);

  /// Notes a launch whose outputs were found right and are still there: counts it in `confirmation`, as one
  /// that deviates where its outputs have other bits than those of the first launch on the same inputs.
  void note(timing::Confirmation& confirmation);

 private:
  struct Kept {
    driver::DeviceMemory memory;
    std::uint64_t key = 0;
  };

  void keep_outputs();
  double measure();

  const kernel_templates::KernelInstance& instance_;
  driver::DeviceArguments& arguments_;
  driver::DeviceHelpers& helpers_;
  OutputCheck& check_;
  CUstream stream_;
  std::filesystem::path compile_cache_;
  base::Random random_;  ///< Of masks: no kernel is to know them.
  std::map<std::uint64_t, std::uint64_t>
      first_;  ///< Checksums of the first outputs, by the seed of the inputs.
  std::uint64_t kept_seed_ = 0;
  std::vector<Kept> kept_;  ///< One for each output; none where there is no room.
  driver::Module module_;
  driver::DeviceMemory largest_;
};

}  // namespace warptune::profiling::verification
