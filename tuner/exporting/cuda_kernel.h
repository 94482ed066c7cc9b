#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "db/exported_names.h"
#include "tuner/exporting/exported_programs.h"
#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// All that the text of one kernel in a CUDA file is written from.
struct CudaKernel {
  const KernelExport& exported;  ///< Borrowed.
  db::ExportedNames names;
  ExportedPrograms programs;

  const kernel_templates::KernelDefinition& definition() const { return exported.definition; }
  /// C++ that makes a `Cell` from `config`, `problem` and `device`.
  std::string cell(const model::Expression& expression) const;
  /// C++ that gives the name of an argument's type.
  std::string type_of(const kernel_templates::Argument& argument) const;
  /// Whether the type of an argument depends on the problem.
  bool has_varying_type(const kernel_templates::Argument& argument) const;
  /// What a variable of the interface is called for an argument. No other variable has the name.
  static std::string name_of(const kernel_templates::Argument& argument);
};

/// Whether the caller gives the value of a scalar. That is the case if the definition's value is a constant.
bool is_given_by_caller(const kernel_templates::Argument& argument);

/// The programs as namespaces `program_0`, ... Their macros are defined around each.
std::string program_text(const CudaKernel& kernel);
/// The choice among rows and programs: `choose`, `shape_0`, ... and `kernel_of`.
std::string choice_text(const CudaKernel& kernel);
/// The workspace of a configuration.
std::string workspace_text(const CudaKernel& kernel);
/// What users call: `workspace_bytes`, `launch`, and `set_symbols` if the kernel has symbols.
std::string launch_text(const CudaKernel& kernel);
/// The lines of `launch` that check the arguments and make what the kernels get, and the list of these.
struct ArgumentText {
  std::vector<std::string> parameters;  ///< Parameters of the function.
  std::vector<std::string> documents;   ///< A line for each of them.
  std::string checks;
  std::vector<std::string> passed;  ///< Addresses of what each kernel gets, in order.
};
ArgumentText argument_text(const CudaKernel& kernel);

}  // namespace warptune::tuner::exporting
