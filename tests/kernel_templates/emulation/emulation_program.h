#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::emulation {

/// A host program that runs configurations under emulation and compares their results. The expected results
/// of a kernel come from `expected_<kernel>` of references/<kernel>.h, or from the kernel's own reference.
/// Configurations with the same macros share one copy of their kernel's text, which has a namespace of its
/// own.
class EmulationProgram {
 public:
  /// If `kernel` is empty, all configurations are compared with their own references.
  explicit EmulationProgram(std::string kernel) : kernel_(std::move(kernel)) {}

  /// Adds one run. `scalars` replace scalar arguments by name. `skewed` buffers begin one element after an
  /// aligned address.
  void add(const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
           const model::NamedValues& scalars, bool skewed);
  /// Adds a run of the definition's own reference.
  void add_reference(const kernel_templates::KernelInstance& instance);
  /// Adds a run that is compared with the definition's reference entry, which is emulated, too. The
  /// definition must have one output.
  void add_against_reference(const kernel_templates::KernelInstance& instance,
                             const model::NamedValues& configuration);

  std::size_t run_count() const { return runs_; }
  std::size_t copy_count() const { return copies_.size(); }
  std::string text() const;

 private:
  struct Run {
    const kernel_templates::KernelInstance& instance;
    kernel_templates::CompileRequest request;
    kernel_templates::LaunchPlan plan;
    model::NamedValues configuration;
    std::string title;
    model::NamedValues scalars;
    bool skewed;
  };
  void add_run(const Run& run);
  void add_check(const Run& run, const std::string& expected);
  /// The namespace that has the program's text.
  std::string copy_of(const kernel_templates::CompileRequest& request);
  /// Declares the `Case` `run` and the function `evaluation`.
  std::string evaluation_text(const Run& run);

  std::string kernel_;
  std::map<std::string, std::string> copies_;  ///< Text and macro definitions -> namespace.
  std::string kernels_;                        ///< The text of the copies.
  std::string cases_;
  std::size_t runs_ = 0;
};

/// Replaces the shared arrays in a kernel's text by calls of cuda_emulation.h.
std::string rewrite_kernel(const std::string& source);

struct ProgramOutcome {
  bool compiled = false;
  int exit_code = -1;
  std::string output;  ///< The output of the compiler or of the program.
};
/// Compiles a program and runs it. The compiler is the host's (`WARPTUNE_EMULATION_CXX`, else `CXX`, else
/// `c++`). AddressSanitizer and the checks for unaligned accesses are on.
ProgramOutcome compile_and_run(const std::string& program);

}  // namespace warptune::emulation
