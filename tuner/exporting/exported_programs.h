#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/compiling/inlined_source.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// The code of one configuration for one problem. It does not depend on the format of the exported file.
struct ExportedProgram {
  std::vector<std::pair<std::string, std::string>> macros;  ///< Name, text; in order.
  std::vector<std::string> flags;                           ///< Further compiler options, in order.
  std::string language;                                     ///< For example `c++17`.
  std::string architecture;          ///< `90a`, if the code is for one architecture only; else empty.
  int compute_capability = 0;        ///< The GPU that it was made for; 90 means 9.0.
  std::vector<std::string> entries;  ///< The kernel of each launch: before, main, after.
  kernel_templates::compiling::InlinedSource source;
  /// Expressions over the configuration, the problem and the device. The program may run only for a problem
  /// and a device for which they hold, because their values are part of the code.
  std::vector<std::string> demands;

  bool defines(const std::string& name) const;
};

/// The distinct programs of a kernel.
struct ExportedPrograms {
  std::vector<ExportedProgram> programs;
  std::vector<std::size_t> of_row;    ///< The index of the program of each row.
  std::vector<std::size_t> defaults;  ///< The programs of the default configuration, one for each problem.
  /// Those of each configuration that is recommended: one for each row whose types and GPU it suits.
  std::vector<std::vector<std::size_t>> recommended;
};

/// The program of one configuration of an instance. Throws `base::InputError` with the reason if it cannot be
/// made.
ExportedProgram exported_program(const kernel_templates::KernelInstance& instance,
                                 const model::NamedValues& configuration);

/// Makes the programs of `rows`, of the default configuration, and of `recommended` where they may be chosen
/// (`may_be_chosen`).
/// Throws `base::InputError` if the kernel has a part that an exported file cannot have.
ExportedPrograms exported_programs(const kernel_templates::KernelDefinition& definition,
                                   const std::vector<const db::Winner*>& rows,
                                   const std::vector<const db::ExportedRecommendation*>& recommended);

/// The launches of a definition in the order in which they run: before, main, after.
std::vector<const kernel_templates::Launch*> launches_of(
    const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::exporting
