#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads every section of a definition but its place and hash. Form only: names are checked by `check_names`.
KernelDefinition read_sections(const TableReader& root, const std::filesystem::path& path);

/// Every variable of every expression and placeholder must be a problem entry, a parameter where those are
/// known, or a device attribute; types and outputs that arguments and checks name must exist. Throws
/// `base::InputError` at the place, with the nearest names. `root` is what `definition` was read from.
void check_names(const KernelDefinition& definition, const TableReader& root);

/// The parts of it: each throws where a name is not in `known`. `what` begins the message.
void check_expression(const model::Expression& expression, const std::vector<std::string>& known,
                      std::string_view what);
void check_launch(const Launch& launch, const std::vector<std::string>& known);
void check_placeholders(const std::string& text, const std::vector<std::string>& known,
                        const base::SourcePosition& position);

}  // namespace warptune::kernel_templates::definition
