#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::definition {

/// Reads every section of a definition. The caller sets its path and its hash. Only the form is checked here.
/// `check_names` checks the names.
KernelDefinition read_sections(const TableReader& root, const std::filesystem::path& path);

/// Reads a configuration: a value for each of the parameters. Those that the table lacks are taken from
/// `otherwise`. A missing table is an empty configuration.
model::NamedValues read_configuration(const TableReader& table,
                                      const std::vector<model::Parameter>& parameters,
                                      const model::NamedValues& otherwise = {});

/// Checks every name that a definition uses. Expressions and placeholders may use problem entries and device
/// attributes, and also parameters where these have values. Types of arguments and outputs of checks must
/// exist. Throws `base::InputError` at an unknown name, with the nearest names. `definition` was read from
/// `root`.
void check_names(const KernelDefinition& definition, const TableReader& root);

/// Parts of `check_names`. Each throws if a name is not in `known`. `what` is the beginning of the message.
/// If the name is one of the `excluded` parameters, the message says that parameters are not allowed here.
void check_expression(const model::Expression& expression, const std::vector<std::string>& known,
                      std::string_view what, const std::vector<model::Parameter>& excluded = {});
/// The same for an expression whose value is one of some words. The message lists them.
void check_choice(const std::optional<model::Expression>& expression, const std::vector<std::string>& known,
                  std::string_view what, const std::vector<std::string>& words);
void check_launch(const Launch& launch, const std::vector<std::string>& known);
void check_placeholders(const std::string& text, const std::vector<std::string>& known,
                        const base::SourcePosition& position);

}  // namespace warptune::kernel_templates::definition
