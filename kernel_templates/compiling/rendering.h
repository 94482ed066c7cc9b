#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::compiling {

/// The data type that a problem entry names; std::nullopt if the entry is not the name of one.
std::optional<DataType> type_of_entry(const model::NamedValues& problem, std::string_view name);

/// The parts of a text outside and inside of `{}` in turn; the first part is outside. Fails, with the reason
/// as its error, if a placeholder is not closed.
base::Result<std::vector<std::string>> split_placeholders(const std::string& text);

/// Replaces each `{expression}` of `text` by its value over `scope`. A type becomes its C++ name, and a
/// boolean becomes 0 or 1. Fails, with the reason as its error, if a placeholder cannot be parsed or
/// evaluated.
base::Result<std::string> fill_placeholders(const std::string& text, const model::NamedValues& problem,
                                            const model::NamedValues& scope);

/// NVRTC's options for one configuration.
struct ProgramOptions {
  std::vector<std::string> fixed;  ///< Language, folders and types: the same for all configurations.
  std::vector<std::pair<std::string, std::string>> macros;  ///< Parameters and defines: name, text.
  std::vector<std::string> flags;                           ///< The flags of the definition.
};
/// `scope` has the problem, the configuration and the device's attributes. `toolkit` are CUDA's include
/// folders. Fails, with the reason as its error, if a placeholder or macro has no value. Also fails if its
/// value has a line break, or begins a comment or a raw string. Throws `base::InputError` for a flag that is
/// not allowed in definitions.
base::Result<ProgramOptions> program_options(const KernelDefinition& definition,
                                             const model::NamedValues& problem,
                                             const model::NamedValues& configuration,
                                             const model::NamedValues& scope,
                                             const std::vector<std::string>& toolkit);

/// The name expressions of the variables to which arguments are copied.
std::vector<std::string> variables_of(const KernelDefinition& definition);

/// The source of a check by expression: a kernel that computes each element of an output by an expression.
/// Its parameters are all arguments of the definition, in order. `constants` has the problem and the device's
/// attributes. The numbers of elements of the arguments are computed from it.
std::string expression_reference_source(const KernelDefinition& definition, const model::NamedValues& problem,
                                        const model::NamedValues& constants);
constexpr const char* kExpressionEntry = "warptune_expression_reference";

}  // namespace warptune::kernel_templates::compiling
