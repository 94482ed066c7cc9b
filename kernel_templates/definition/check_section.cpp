#include "kernel_templates/definition/check_section.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

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
  check.arguments = read_passed_arguments(table, definition);
}

void read_reference_configuration(const TableReader& table, KernelDefinition& definition) {
  Check& check = definition.check;
  check.reference = ReferenceKind::kConfiguration;
  const TableReader configuration = table.table("configuration");
  check.configuration = configuration.present() ? read_configuration(configuration, definition.parameters)
                                                : definition.default_configuration;
  if (check.configuration.empty()) table.fail("configuration", "a configuration here or in [default]");
}

void read_expressions(const TableReader& table, KernelDefinition& definition) {
  Check& check = definition.check;
  check.reference = ReferenceKind::kExpression;
  std::vector<std::string> outputs;
  for (const Argument& argument : definition.arguments) {
    if (argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut)
      outputs.push_back(argument.name);
  }
  if (outputs.empty()) {
    throw base::InputError(
        "there is no argument of kind out or inout, so the check has no output to compute; expected one",
        table.position("expression"));
  }
  const toml::node* node = table.node("expression");
  if (node != nullptr && node->is_string() && outputs.size() == 1) {
    check.expressions.emplace_back(outputs.front(), node->ref<std::string>());
  } else if (node != nullptr && node->is_table()) {
    const TableReader expressions = table.table("expression");
    expressions.allow_only(outputs);
    for (const std::string& output : outputs)
      check.expressions.emplace_back(output, expressions.required_text(output));
  } else {
    table.fail("expression", fmt::format("a CUDA expression for {}", fmt::join(outputs, " and for ")));
  }
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
                    "expression", "configuration", "absolute", "relative", "nondeterministic", "cases"});
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
    read_expressions(table, definition);
  } else {
    table.fail("reference", "one of entry, configuration, expression");
  }
  for (const char* key : {"source", "arguments"}) {
    if (table.node(key) != nullptr && reference != "entry")
      table.fail(key, "no such key: only a reference that is an entry has it");
  }
}

}  // namespace warptune::kernel_templates::definition
