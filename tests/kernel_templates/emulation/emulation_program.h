#pragma once

#include <map>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::emulation {

/// A host program that runs configurations under emulation and compares: those of one kernel with
/// `expected_<kernel>` of references/<kernel>.h, or those of any with their own references. Configurations
/// with the same macros share one copy of their kernel's text, in a namespace of its own.
class EmulationProgram {
 public:
  /// `kernel` may be empty: then all are compared with their own references.
  explicit EmulationProgram(std::string kernel) : kernel_(std::move(kernel)) {}

  /// Adds one run. `scalars` replace scalar arguments by name. `skewed` buffers start one element past
  /// alignment.
  void add(const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
           const model::NamedValues& scalars, bool skewed);
  /// Adds a run of the definition's own reference.
  void add_reference(const kernel_templates::KernelInstance& instance);
  /// Adds a run that is compared with the definition's reference entry, under emulation too. The definition
  /// has one output.
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
  std::string kernels_;                        ///< The copies' text.
  std::string cases_;
  std::size_t runs_ = 0;
};

/// A kernel's text with its shared arrays turned into calls of cuda_emulation.h.
std::string rewrite_kernel(const std::string& source);

struct ProgramOutcome {
  bool compiled = false;
  int exit_code = -1;
  std::string output;  ///< The compiler's or the program's.
};
/// Compiles with the host's C++ compiler (`WARPTUNE_EMULATION_CXX`, else `CXX`, else `c++`) under
/// AddressSanitizer and the undefined-behaviour checks that tell of unaligned accesses, and runs.
ProgramOutcome compile_and_run(const std::string& program);

}  // namespace warptune::emulation
