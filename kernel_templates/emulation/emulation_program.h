#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/emulation/program_files.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::emulation {

/// A host program that emulates kernels on the CPU: it runs configurations and compares their results. The
/// expected results
/// come from `expected_<kernel>` of the header references/<kernel>.h, or from the kernel's own reference.
/// Configurations with the same macros share one copy of their kernel's text, which has a namespace of its
/// own.
class EmulationProgram {
 public:
  /// If `kernel` is empty, all configurations are compared with their own references.
  explicit EmulationProgram(std::string kernel) : kernel_(std::move(kernel)) {}

  /// Adds one run. `scalars` replace scalar arguments by name. `skewed` buffers begin one element after an
  /// aligned address. Returns the number of the run, or why it cannot be emulated.
  base::Result<std::size_t> add(const KernelInstance& instance, const model::NamedValues& configuration,
                                const model::NamedValues& scalars, bool skewed);
  /// Adds a run of the definition's own reference.
  base::Result<std::size_t> add_reference(const KernelInstance& instance);
  /// Adds a run that is compared with the definition's reference, which is emulated, too, or with the files
  /// that have the right outputs. `seed` is that of the inputs.
  base::Result<std::size_t> add_against_reference(const KernelInstance& instance,
                                                  const model::NamedValues& configuration,
                                                  std::uint64_t seed = 1);

  std::size_t run_count() const { return runs_; }
  std::size_t copy_count() const { return copies_.size(); }
  /// program.cpp, the options that it is compiled with, and the files with inputs, which the program reads
  /// from the folder that it is given.
  std::vector<NamedFile> files() const;

 private:
  struct Run {
    const KernelInstance& instance;
    CompileRequest request;
    LaunchPlan plan;
    std::vector<ResolvedArgument> arguments;
    std::string title;
    model::NamedValues scalars;
    bool skewed = false;
    std::uint64_t seed = 1;
  };
  /// One text of a kernel with its macros.
  struct Copy {
    std::string name;
    std::string source;
    std::string launches;  ///< Functions that launch its kernels, while its macros are defined.
    std::set<std::string> macros;
  };

  base::Result<Run> run_of(const KernelInstance& instance, const model::NamedValues& configuration) const;
  base::Result<Run> reference_of(const KernelInstance& instance) const;
  base::Result<std::string> reference_text(const Run& run);
  std::string expected_text(const Run& run);
  base::Result<std::size_t> add_check(const Run& run, const std::string& expected);
  base::Result<Copy*> copy_of(const Run& run);
  /// Declares the `Case` `run` and the function `evaluation`.
  base::Result<std::string> evaluation_text(const Run& run);
  std::string buffer_text(const Run& run, std::size_t argument);
  std::string data_file(std::string bytes);

  std::string kernel_;
  std::map<std::string, Copy> copies_;       ///< By the text with its macros.
  bool is_cpp20_ = false;                    ///< A copy is written in C++20.
  std::set<std::string> headers_;            ///< The standard headers of all copies.
  std::map<std::string, std::string> data_;  ///< The names of files with inputs, by their contents.
  std::string cases_;
  std::size_t runs_ = 0;
  std::size_t evaluations_ = 0;
};

}  // namespace warptune::kernel_templates::emulation
