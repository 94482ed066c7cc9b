#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernel_templates/emulation/emulation_program.h"
#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/kernel_instance.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates {

/// Sizes and a kind of configuration that reveal errors. One such configuration is drawn for the emulation
/// and one for the GPU.
struct DemandingCase {
  std::string where;  ///< The condition that the configuration meets.
  model::NamedValues problem;
};

/// Draws a configuration of the instance's space that meets `where`; any if it is empty. Throws
/// `std::runtime_error` after 100,000 draws without success.
model::NamedValues draw_configuration(const KernelInstance& instance, const std::string& where,
                                      base::Random& random);

/// The problems and configurations at which the tests run a shipped kernel:
/// tests/kernel_templates/library_cases/NAME.toml.
struct LibraryCases {
  std::string kernel;
  std::vector<model::NamedValues> types;      ///< Text entries of the problem to compile; at least one.
  std::vector<int> type_capabilities;         ///< The minimum compute capability for each of them.
  std::vector<model::NamedValues> sizes;      ///< Small, for the emulation and the GPU; at least one.
  std::vector<model::NamedValues> gpu_sizes;  ///< More sizes, for the GPU only.
  std::vector<model::NamedValues>
      scalars;       ///< Other values of scalar arguments, emulation only; at least one.
  int samples = 12;  ///< The number of random configurations in the emulation.
  bool emulated = true;
  std::vector<DemandingCase> demanding;
  std::string emulated_where;  ///< The condition for the emulation's configurations.
};

/// The source tree whose kernels are tested: `WARPTUNE_TESTED_SOURCES`, or the tree that this program was
/// built from.
std::filesystem::path tested_sources();

/// A GPU of every architecture that shipped code is compiled for, sm_75 to sm_120.
std::vector<model::GpuDescription> tested_gpus();

/// Kernels of `kernel_templates/library`, sorted.
std::vector<std::string> library_kernels();
std::filesystem::path library_file(const std::string& kernel);

/// Compiles and runs a program with the test's reference programs, in a folder of its own.
emulation::ProgramOutcome compile_and_run(const emulation::EmulationProgram& program);

/// Throws `base::InputError` if the file is missing or malformed.
LibraryCases load_library_cases(const std::string& kernel);

}  // namespace warptune::kernel_templates
