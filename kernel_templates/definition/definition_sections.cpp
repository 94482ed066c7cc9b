#include "kernel_templates/definition/definition_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/text.h"
#include "kernel_templates/compiler.h"
#include "kernel_templates/compiling/compiler_options.h"
#include "kernel_templates/definition/argument_section.h"
#include "kernel_templates/definition/check_section.h"
#include "kernel_templates/definition/host_section.h"
#include "kernel_templates/definition/parameter_section.h"
#include "kernel_templates/definition/passed_arguments.h"

namespace warptune::kernel_templates::definition {

namespace {

constexpr const char* kVariant = "VARIANT";

void read_compiler(const TableReader& table, KernelDefinition& definition) {
  const std::optional<std::string> compiler = table.text("compiler");
  if (!compiler) return;
  if (*compiler != "nvrtc" && *compiler != kNvcc) table.fail("compiler", "nvrtc or nvcc");
  if (*compiler == kNvcc) definition.compiler = kNvcc;
  definition.compiler_position = table.position("compiler");
}

void read_kernel(const TableReader& table, bool has_host_program, KernelDefinition& definition) {
  if (!table.present())
    throw base::InputError("[kernel] is missing: expected at least its name and entry", {table.file(), 0, 0});
  table.allow_only({"name", "description", "about", "vendor", "entry", "source", "extends", "language",
                    "compiler", "flags", "libraries", "architecture_specific", "include", "defines", "hints",
                    "recommended"});
  definition.position = table.position();
  definition.name = table.text("name").value_or(definition.path.stem().string());
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  };
  if (definition.name.empty() || !std::all_of(definition.name.begin(), definition.name.end(), allowed)) {
    table.fail("name", "letters, digits, _ and -");
  }
  definition.description = table.text("description").value_or("");
  definition.about = table.text("about").value_or("");
  definition.vendor = table.text("vendor").value_or("");
  definition.architecture_specific = table.boolean("architecture_specific").value_or(false);
  definition.entry = has_host_program ? table.text("entry").value_or("") : table.required_text("entry");
  definition.entry_position = table.node("entry") != nullptr ? table.position("entry") : table.position();
  definition.language = table.text("language").value_or("c++17");
  read_compiler(table, definition);
  definition.flags = table.texts("flags");
  if (const toml::node* flags = table.node("flags"); flags != nullptr) {
    for (const toml::node& flag : *flags->as_array())
      definition.flag_positions.push_back(position_of(flag, table.file()));
  }
  if (table.node("language") != nullptr)
    compiling::read_compiler_options({{"--std=" + definition.language, table.position("language")}});
  definition.libraries = table.texts("libraries");
  for (const std::string& library : definition.libraries) {
    if (library.empty() || !std::all_of(library.begin(), library.end(), allowed))
      table.fail("libraries", "names of device libraries such as \"cudadevrt\"");
  }
  for (const std::string& folder : table.texts("include")) {
    definition.include_folders.push_back(definition.path.parent_path() / folder);
  }
  const bool embedded = definition.path.extension() != ".toml";
  if (embedded && table.node("source") != nullptr)
    table.fail("source", "no such key: this definition is a part of its source");
  definition.source =
      embedded ? definition.path : definition.path.parent_path() / table.required_text("source");
  const TableReader defines = table.table("defines");
  for (const auto& [name, node] : defines.entries()) {
    require_identifier(name, position_of(*node, table.file()));
    definition.defines.emplace_back(name, *defines.expression(name));
  }
  definition.hints = table.texts("hints");
  for (const std::string& hint : definition.hints) {
    if (defines.node(hint) == nullptr) table.fail("hints", "names of defines");
  }
}

model::Value require_scalar(const TableReader& table, const std::string& name) {
  const std::optional<model::Value> value = scalar_of(*table.node(name));
  if (!value) table.fail(name, "an integer, a real, true, false or text");
  return *value;
}

void read_problem(const TableReader& root, KernelDefinition& definition) {
  const TableReader problem = root.table("problem");
  for (const auto& [name, node] : problem.entries()) {
    require_identifier(name, position_of(*node, root.file()));
    definition.problem_positions.push_back(position_of(*node, root.file()));
    if (!node->is_table()) {
      definition.problem.emplace_back(name, require_scalar(problem, name));
      continue;
    }
    const TableReader described = problem.table(name);
    described.allow_only({"value", "description"});
    if (described.node("value") == nullptr)
      described.fail("value", "an integer, a real, true, false or text");
    definition.problem.emplace_back(name, require_scalar(described, "value"));
    definition.problem_descriptions.emplace_back(name, described.required_text("description"));
  }
  const TableReader allowed = root.table("problem_values");
  for (const auto& [name, node] : allowed.entries()) {
    const model::Value* declared = model::find(definition.problem, name);
    if (declared == nullptr) allowed.fail(name, "the name of a [problem] entry");
    const toml::array* list = node->as_array();
    if (list == nullptr) allowed.fail(name, "a list of values");
    std::vector<model::Value> values;
    for (const toml::node& element : *list) {
      const std::optional<model::Value> value = value_like(element, *declared);
      if (!value) {
        allowed.fail(name, fmt::format("a list of values such as {} ({})", model::to_literal(*declared),
                                       model::to_string(model::type_of(*declared))));
      }
      values.push_back(*value);
    }
    definition.problem_values.emplace_back(name, std::move(values));
  }
}

void read_variants(const TableReader& root, KernelDefinition& definition) {
  model::Parameter parameter;
  parameter.name = kVariant;
  for (const TableReader& table : root.tables("variant")) {
    table.allow_only({"name", "entry", "source"});
    Variant variant;
    variant.name = table.required_text("name");
    variant.entry = table.text("entry").value_or(definition.entry);
    variant.position = table.node("entry") != nullptr ? table.position("entry") : table.position();
    const std::optional<std::string> source = table.text("source");
    variant.source = source ? definition.path.parent_path() / *source : definition.source;
    if (definition.variants.empty()) parameter.position = table.position();
    parameter.values.emplace_back(variant.name);
    definition.variants.push_back(std::move(variant));
  }
  if (!definition.variants.empty()) definition.parameters.push_back(std::move(parameter));
}

void read_constraints(const TableReader& root, KernelDefinition& definition) {
  const TableReader table = root.table("constraints");
  table.allow_only({"list"});
  const toml::node* list = table.node("list");
  if (list == nullptr) return;
  if (!list->is_array()) table.fail("list", "a list of expressions or of tables with expression and reason");
  for (const toml::node& element : *list->as_array()) {
    if (!element.is_table()) {
      definition.constraints.push_back({expression_of(element, root.file(), "a constraint"), ""});
      continue;
    }
    const TableReader row(element.as_table(), "constraints.list", root.file());
    row.allow_only({"expression", "reason"});
    if (row.node("expression") == nullptr) row.fail("expression", "an expression");
    definition.constraints.push_back({*row.expression("expression"), row.text("reason").value_or("")});
  }
}

// A value that the parameter may have.
model::Value value_of(const TableReader& table, const model::Parameter& parameter, const toml::node& node) {
  std::optional<model::Value> value = value_like(node, parameter.values.front());
  if (!value ||
      std::find(parameter.values.begin(), parameter.values.end(), *value) == parameter.values.end()) {
    std::vector<std::string> known;
    for (const model::Value& known_value : parameter.values) known.push_back(model::to_literal(known_value));
    table.fail(parameter.name, fmt::format("one of {}", fmt::join(known, " ")));
  }
  return *std::move(value);
}

void read_recommendations(const TableReader& root, KernelDefinition& definition) {
  for (const TableReader& table : root.tables("recommended")) {
    table.allow_only({"when", "cost", "values"});
    if (definition.default_configuration.empty())
      root.fail("recommended", "a [default], of which the recommended values replace some");
    const std::optional<model::Expression> cost = table.expression("cost");
    const bool is_always = cost && table.node("when") == nullptr;
    Recommendation recommendation{
        is_always ? model::Expression::parse("true", table.position()) : table.required_expression("when"),
        {},
        table.position(),
        cost};
    const TableReader values = table.table("values");
    if (!values.present()) table.fail("values", "a table with values of parameters");
    recommendation.values =
        read_configuration(values, definition.parameters, definition.default_configuration);
    definition.recommendations.push_back(std::move(recommendation));
  }
}

}  // namespace

model::NamedValues read_configuration(const TableReader& table,
                                      const std::vector<model::Parameter>& parameters,
                                      const model::NamedValues& otherwise) {
  if (!table.present()) return {};
  std::vector<std::string> names;
  names.reserve(parameters.size());
  for (const model::Parameter& parameter : parameters) names.push_back(parameter.name);
  table.allow_only(names);
  model::NamedValues configuration;
  for (const model::Parameter& parameter : parameters) {
    const toml::node* node = table.node(parameter.name);
    const model::Value* usual = model::find(otherwise, parameter.name);
    if (node == nullptr && usual == nullptr) table.fail(parameter.name, "one of its values");
    configuration.emplace_back(parameter.name, node == nullptr ? *usual : value_of(table, parameter, *node));
  }
  return configuration;
}

namespace {

void read_launches(const TableReader& root, KernelDefinition& definition) {
  const TableReader table = root.table("launch");
  if (!table.present()) {
    throw base::InputError("[launch] is missing: expected grid and block, or a [host] section",
                           {root.file(), 0, 0});
  }
  std::vector<std::string> known = launch_keys();
  known.insert(known.end(), {"before", "after", "arguments"});
  table.allow_only(known);
  definition.launch = read_launch(table);
  definition.launch.arguments = read_passed_arguments(table, definition);
  for (const auto& [key, launches] :
       {std::pair{"before", &definition.before}, std::pair{"after", &definition.after}}) {
    for (const TableReader& step : table.tables(key)) {
      known = launch_keys();
      known.insert(known.end(), {"entry", "when", "arguments"});
      step.allow_only(known);
      launches->push_back(read_launch(step));
      launches->back().arguments = read_passed_arguments(step, definition);
      launches->back().entry = step.required_text("entry");
    }
  }
}

void read_work(const TableReader& work, KernelDefinition& definition) {
  work.allow_only({"flops", "bytes", "unit"});
  definition.flops = work.expression("flops");
  definition.bytes = work.expression("bytes");
  if (work.present()) definition.work_position = work.position();
  const std::optional<std::string> unit = work.text("unit");
  if (!unit) return;
  const std::optional<model::ArithmeticUnit> parsed = model::parse_arithmetic_unit(*unit);
  if (!parsed) work.fail("unit", "fp32, fp64 or tensor");
  definition.unit = *parsed;
}

}  // namespace

KernelDefinition read_sections(const TableReader& root, const std::filesystem::path& path) {
  root.allow_only({"kernel", "problem", "problem_values", "parameters", "constraints", "default",
                   "recommended", "launch", "host", "argument", "check", "work", "variant"});
  KernelDefinition definition;
  definition.path = path;
  const TableReader host = root.table("host");
  read_kernel(root.table("kernel"), host.present(), definition);
  read_problem(root, definition);
  read_variants(root, definition);
  read_parameters(root.table("parameters"), definition);
  if (definition.parameters.empty())
    throw base::InputError("[parameters] is missing: expected at least one tunable parameter",
                           {root.file(), 0, 0});
  read_constraints(root, definition);
  constrain_conditional_parameters(definition);
  definition.default_configuration = read_configuration(root.table("default"), definition.parameters);
  read_recommendations(root, definition);
  if (host.present() && root.node("launch") != nullptr)
    root.fail("launch", "no such section: [host] has the launches");
  read_arguments(root, definition);
  if (!host.present()) read_launches(root, definition);
  if (host.present()) read_host_program(host, definition);
  read_check(root.table("check"), definition);
  read_work(root.table("work"), definition);
  return definition;
}

}  // namespace warptune::kernel_templates::definition
