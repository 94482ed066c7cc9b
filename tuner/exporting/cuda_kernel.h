#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/exported_names.h"
#include "tuner/exporting/exported_programs.h"
#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// The input for the text of one kernel in an exported CUDA file.
struct CudaKernel {
  const KernelExport& exported;  ///< Must outlive this object.
  db::ExportedNames names;
  ExportedPrograms programs;

  const kernel_templates::KernelDefinition& definition() const { return exported.definition; }
  /// C++ text that computes an expression from the variables `config`, `problem` and `device`. Its result is
  /// a `Cell`, a type of the exported file that holds a number, a text or a failure.
  std::string cell(const model::Expression& expression) const;
  /// C++ text that returns the name of an argument's type.
  std::string type_of(const kernel_templates::Argument& argument) const;
  /// Whether the type of an argument depends on the problem.
  bool has_varying_type(const kernel_templates::Argument& argument) const;
  /// The name of an argument's variable in the exported functions. No other variable there has this name.
  static std::string name_of(const kernel_templates::Argument& argument);
};

/// Whether the caller gives the value of a scalar. That is the case if the definition's value is a constant.
bool is_given_by_caller(const kernel_templates::Argument& argument);

/// The programs as namespaces `program_0`, ... The macros of a program are defined before it, and undefined
/// after it.
std::string program_text(const CudaKernel& kernel);
/// The choice among rows and programs: `choose`, `shape_0`, ... and `kernel_of`.
std::string choice_text(const CudaKernel& kernel);
/// The layout of the scratch buffers of a configuration in the workspace.
std::string workspace_text(const CudaKernel& kernel);
/// What users call: `workspace_bytes`, `launch`, and `set_symbols` if the kernel has symbols.
std::string launch_text(const CudaKernel& kernel);
/// The parts of the text of `launch` that belong to the arguments of the kernel.
struct ArgumentText {
  std::vector<std::string> parameters;  ///< Parameters of `launch`.
  std::vector<std::string> documents;   ///< A line of documentation for each parameter.
  std::string checks;                   ///< Code that checks the arguments and makes the values to pass.
  std::vector<std::string> passed;      ///< The address of each value to pass to the kernels, in order.
};
ArgumentText argument_text(const CudaKernel& kernel);

}  // namespace warptune::tuner::exporting
