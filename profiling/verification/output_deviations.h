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

/// Returns the program that measures the difference of two results, for the architecture of one GPU.
kernel_templates::CompileRequest deviation_program(const model::GpuDescription& gpu);

/// Finds out whether the results of one configuration differ from launch to launch on the same inputs, and by
/// how much.
///
/// Checksums of the outputs show which launches differ. If the GPU's memory has room, a copy of the first
/// launch's outputs is kept. It is masked, so that kernels cannot copy it. Outputs that differ from it are
/// compared element by element.
class OutputDeviations {
 public:
  /// All arguments must outlive the object. `compile_cache` is a folder for compiled kernels. If it is empty,
  /// nothing is kept.
  OutputDeviations(const kernel_templates::KernelInstance& instance, driver::DeviceArguments& arguments,
                   driver::DeviceHelpers& helpers, OutputCheck& check, CUstream stream,
                   std::filesystem::path compile_cache);

  /// Compiles and loads the kernels that compare outputs. Must be called before `note`: a launch has a time
  /// limit, and compiling may take longer.
  void prepare();

  /// Adds a launch to `confirmation`. Its outputs must be right, and still in their buffers. The launch
  /// counts as deviating if its outputs differ in any bit from those of the first launch on the same inputs.
  /// Returns whether it does and is among the first launches on these inputs that do: the errors of
  /// `OutputBits::kMaxMeasured` of them are measured.
  bool note(timing::Confirmation& confirmation);

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
  /// Generates the keys of masks. Its seed is unpredictable, so that kernels cannot predict them.
  base::Random random_;
  /// The checksum of the first outputs on each set of inputs. The key is the seed of the inputs.
  std::map<std::uint64_t, std::uint64_t> first_;
  std::map<std::uint64_t, std::uint64_t> deviating_;  ///< How many launches deviate, by the same key.
  std::uint64_t kept_seed_ = 0;
  std::vector<Kept> kept_;  ///< One for each output. Empty when there is no room.
  driver::Module module_;
  driver::DeviceMemory largest_;
};

}  // namespace warptune::profiling::verification
