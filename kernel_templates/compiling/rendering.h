#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::compiling {

/// The data type that a problem entry names, where it is text that names one.
std::optional<DataType> type_of_entry(const model::NamedValues& problem, std::string_view name);

/// What stands outside and inside of `{}` in turn, beginning outside. The reason when one is not closed.
base::Result<std::vector<std::string>> split_placeholders(const std::string& text);

/// Replaces each `{expression}` of `text` by its value over `scope`: types by their C++ name, booleans by 0
/// or 1. The reason when a placeholder does not parse or evaluate.
base::Result<std::string> fill_placeholders(const std::string& text, const model::NamedValues& problem,
                                            const model::NamedValues& scope);

/// What NVRTC is told about one configuration.
struct ProgramOptions {
  std::vector<std::string> fixed;  ///< Language, folders, types: equal for all configurations.
  std::vector<std::pair<std::string, std::string>> macros;  ///< Of parameters and defines, with their texts.
  std::vector<std::string> flags;                           ///< The definition's.
};
/// `scope` holds problem, configuration and device attributes; `toolkit` are CUDA's include folders. The
/// reason where a placeholder or a macro has no value, or one that cannot be part of a line. Throws
/// `base::InputError` for a flag that no definition may give.
base::Result<ProgramOptions> program_options(const KernelDefinition& definition,
                                             const model::NamedValues& problem,
                                             const model::NamedValues& configuration,
                                             const model::NamedValues& scope,
                                             const std::vector<std::string>& toolkit);

/// Name expressions of the variables that arguments are copied to.
std::vector<std::string> variables_of(const KernelDefinition& definition);

/// A kernel that writes an expression of every element: the source of a check by expression. All arguments of
/// the definition, in order. `constants` are the problem and the device attributes, for counts.
std::string expression_reference_source(const KernelDefinition& definition, const model::NamedValues& problem,
                                        const model::NamedValues& constants);
constexpr const char* kExpressionEntry = "warptune_expression_reference";

}  // namespace warptune::kernel_templates::compiling
