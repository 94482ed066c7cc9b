#include "kernel_templates/definition/check_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/argument_data.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/host_section.h"
#include "kernel_templates/definition/passed_arguments.h"

namespace warptune::kernel_templates::definition {

namespace {

void read_entry(const TableReader& table, KernelDefinition& definition) {
  Check& check = definition.check;
  check.reference = ReferenceKind::kEntry;
  check.launch = read_launch(table);
  check.launch.entry = table.required_text("entry");
  const std::optional<std::string> source = table.text("source");
  check.source = source ? definition.path.parent_path() / *source : definition.source;
  check.launch.arguments = read_passed_arguments(table, definition);
}

void read_reference_configuration(const TableReader& table, KernelDefinition& definition) {
  Check& check = definition.check;
  check.reference = ReferenceKind::kConfiguration;
  const TableReader configuration = table.table("configuration");
  check.configuration = configuration.present() ? read_configuration(configuration, definition.parameters)
                                                : definition.default_configuration;
  if (check.configuration.empty()) table.fail("configuration", "a configuration here or in [default]");
}

// Reads a key that has a text for each output: a text if there is one output, else a table. `what` says in
// messages what a text is.
std::vector<std::pair<std::string, std::string>> read_output_texts(const TableReader& table,
                                                                   const KernelDefinition& definition,
                                                                   const char* key, const char* what) {
  std::vector<std::string> outputs;
  for (const Argument& argument : definition.arguments) {
    if (argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut)
      outputs.push_back(argument.name);
  }
  if (outputs.empty()) {
    throw base::InputError(
        "there is no argument of kind out or inout, so the check has no output to compute; expected one",
        table.position(key));
  }
  std::vector<std::pair<std::string, std::string>> texts;
  const toml::node* node = table.node(key);
  if (node != nullptr && node->is_string() && outputs.size() == 1) {
    texts.emplace_back(outputs.front(), node->ref<std::string>());
  } else if (node != nullptr && node->is_table()) {
    const TableReader rows = table.table(key);
    rows.allow_only(outputs);
    for (const std::string& output : outputs) texts.emplace_back(output, rows.required_text(output));
  } else {
    table.fail(key, fmt::format("{} for {}", what, fmt::join(outputs, " and for ")));
  }
  return texts;
}

// Outputs in files are right for one set of inputs, so the inputs must always be the same.
void read_files(const TableReader& table, KernelDefinition& definition) {
  Check& check = definition.check;
  check.reference = ReferenceKind::kFile;
  for (const auto& [output, path] : read_output_texts(table, definition, "path", "a file with the elements"))
    check.files.emplace_back(output, definition.path.parent_path() / path);
  for (const Argument& argument : definition.arguments) {
    const bool is_input = argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut;
    if (!is_input || !depends_on_seed(argument.init)) continue;
    throw base::InputError(
        fmt::format("the contents of argument '{}' are random, but the files of [check] belong to one set of "
                    "inputs; give it an init without random numbers",
                    argument.name),
        argument.position);
  }
  if (table.node("cases") != nullptr)
    table.fail("cases", "no such key: files have the right outputs for the sizes of [problem] only");
}

model::NamedValues read_case_sizes(const TableReader& table, const KernelDefinition& definition) {
  model::NamedValues sizes;
  for (const auto& [name, node] : table.entries()) {
    const model::Value* declared = model::find(definition.problem, name);
    if (declared == nullptr) table.fail(name, "the name of a [problem] entry");
    const std::optional<model::Value> value = value_like(*node, *declared);
    if (!value) {
      table.fail(name, fmt::format("a value such as {} ({})", model::to_literal(*declared),
                                   model::to_string(model::type_of(*declared))));
    }
    sizes.emplace_back(name, *value);
  }
  return sizes;
}

void read_cases(const TableReader& table, KernelDefinition& definition) {
  for (const TableReader& row : table.tables("cases")) {
    row.allow_only({"sizes", "seed"});
    CheckCase one;
    one.position = row.position();
    one.sizes = read_case_sizes(row.table("sizes"), definition);
    const std::int64_t seed = row.integer("seed").value_or(1);
    if (seed < 1) row.fail("seed", "1 or more");
    one.seed = static_cast<std::uint64_t>(seed);
    definition.check.cases.push_back(std::move(one));
  }
}

}  // namespace

void read_check(const TableReader& table, KernelDefinition& definition) {
  if (!table.present()) return;
  table.allow_only({"reference", "entry", "source", "arguments", "grid", "block", "shared_bytes",
                    "expression", "path", "configuration", "absolute", "relative", "nondeterministic",
                    "cases"});
  Check& check = definition.check;
  check.position = table.node("expression") != nullptr ? table.position("expression") : table.position();
  check.absolute = table.expression("absolute");
  check.relative = table.expression("relative");
  check.nondeterministic = table.expression("nondeterministic");
  read_cases(table, definition);
  const std::string reference = table.required_text("reference");
  if (reference == "entry") {
    read_entry(table, definition);
  } else if (reference == "configuration") {
    read_reference_configuration(table, definition);
  } else if (reference == "expression") {
    check.reference = ReferenceKind::kExpression;
    check.expressions = read_output_texts(table, definition, "expression", "a CUDA expression");
  } else if (reference == "file") {
    read_files(table, definition);
  } else {
    table.fail("reference", "one of entry, configuration, expression, file");
  }
  if (table.node("path") != nullptr && reference != "file")
    table.fail("path", "no such key: only a reference of the kind file has it");
  for (const char* key : {"source", "arguments"}) {
    if (table.node(key) != nullptr && reference != "entry")
      table.fail(key, "no such key: only a reference that is an entry has it");
  }
}

}  // namespace warptune::kernel_templates::definition
