#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "kernel_templates/buffer_memory.h"
#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/definition/definition_sections.h"
#include "kernel_templates/definition/host_section.h"
#include "kernel_templates/definition/passed_arguments.h"
#include "kernel_templates/launch_plan.h"
#include "kernel_templates/resolution/expression_types.h"
#include "model/gpu_description.h"

namespace warptune::kernel_templates::definition {

namespace {

// The names that the expressions of a definition may use. An expression that must have the same value for all
// configurations may use only names of the problem and the device. Such expressions are the arguments' sizes
// and values, the tolerance and the work.
struct Names {
  std::vector<std::string> problem_and_device;
  std::vector<std::string> with_parameters;
};

Names names_of(const KernelDefinition& definition) {
  Names names;
  for (const auto& [name, value] : definition.problem) names.problem_and_device.push_back(name);
  for (const auto& [name, value] : model::GpuDescription{}.attributes())
    names.problem_and_device.push_back(name);
  names.with_parameters = names.problem_and_device;
  for (const model::Parameter& parameter : definition.parameters)
    names.with_parameters.push_back(parameter.name);
  return names;
}

}  // namespace

void check_expression(const model::Expression& expression, const std::vector<std::string>& known,
                      std::string_view what, const std::vector<model::Parameter>& excluded) {
  for (const std::string& variable : expression.variables()) {
    if (std::find(known.begin(), known.end(), variable) != known.end()) continue;
    const bool parameter = std::any_of(excluded.begin(), excluded.end(),
                                       [&](const model::Parameter& one) { return one.name == variable; });
    if (parameter) {
      throw base::InputError(
          fmt::format("{} '{}' names the parameter '{}', but it must be the same for all configurations; "
                      "expected only problem entries and names of the device",
                      what, expression.text(), variable),
          expression.position());
    }
    throw base::InputError(fmt::format("{} '{}' names '{}', which cannot be used here{}", what,
                                       expression.text(), variable, base::did_you_mean(variable, known)),
                           expression.position());
  }
}

void check_choice(const std::optional<model::Expression>& expression, const std::vector<std::string>& known,
                  std::string_view what, const std::vector<std::string>& words) {
  if (!expression) return;
  // A word with a minus in it was probably meant as a whole.
  const std::string& text = expression->text();
  const bool is_one_word = text.find_first_of(" '\"?:=") == std::string::npos;
  for (const std::string& variable : expression->variables()) {
    if (base::contains(known, variable)) continue;
    std::vector<std::string> nearest = base::nearest_names(is_one_word ? text : variable, words);
    const std::vector<std::string> names = base::nearest_names(variable, known);
    if (!is_one_word || nearest.empty()) nearest = names;
    throw base::InputError(
        fmt::format(
            "{} '{}' names '{}', which cannot be used here{}; expected {}, or an expression with such "
            "a value",
            what, text, variable, nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest.front()),
            fmt::join(words, ", ")),
        expression->position());
  }
}

namespace {

void check_optional(const std::optional<model::Expression>& expression, const std::vector<std::string>& known,
                    std::string_view what, const std::vector<model::Parameter>& excluded = {}) {
  if (expression) check_expression(*expression, known, what, excluded);
}

}  // namespace

void check_launch(const Launch& launch, const std::vector<std::string>& known) {
  for (const auto* extent : {&launch.grid, &launch.block, &launch.cluster}) {
    for (const model::Expression& expression : *extent)
      check_expression(expression, known, "the launch expression");
  }
  check_optional(launch.shared_bytes, known, "shared_bytes");
  check_optional(launch.carveout, known, "carveout");
  check_choice(launch.cluster_scheduling, known, "cluster_scheduling", cluster_scheduling_names());
  check_optional(launch.when, known, "the condition");
  check_optional(launch.cooperative, known, "the condition");
  if (launch.arguments) check_passed_arguments(*launch.arguments, known);
}

void check_placeholders(const std::string& text, const std::vector<std::string>& known,
                        const base::SourcePosition& position) {
  const base::Result<std::vector<std::string>> parts = compiling::split_placeholders(text);
  if (!parts) throw base::InputError(parts.error(), position);
  for (std::size_t i = 1; i < parts->size(); i += 2) {
    check_expression(model::Expression::parse((*parts)[i], position), known, "the placeholder");
  }
}

namespace {

void check_all_placeholders(const KernelDefinition& definition, const TableReader& root,
                            const std::vector<std::string>& known) {
  const TableReader kernel = root.table("kernel");
  check_placeholders(definition.entry, known, kernel.position("entry"));
  for (const std::string& flag : definition.flags) check_placeholders(flag, known, kernel.position("flags"));
  const auto check_entries = [&](const std::vector<TableReader>& tables) {
    for (const TableReader& table : tables)
      check_placeholders(table.text("entry").value_or(""), known, table.position("entry"));
  };
  check_entries(root.table("launch").tables("before"));
  check_entries(root.table("launch").tables("after"));
  check_entries(root.tables("variant"));
  check_entries({root.table("check")});
}

void check_tensor_map(const TensorMap& map, const Names& names) {
  for (const auto* extent : {&map.shape, &map.pitch, &map.box}) {
    for (const model::Expression& expression : *extent)
      check_expression(expression, names.with_parameters, "the tensor map's expression");
  }
  check_optional(map.swizzle, names.with_parameters, "the swizzle");
  check_optional(map.when, names.with_parameters, "the condition");
}

void check_texture(const Texture& texture, const Names& names) {
  for (const auto* extent : {&texture.width, &texture.height, &texture.pitch})
    check_optional(*extent, names.with_parameters, "the texture's expression");
}

void check_initialiser(const Initialiser& init, const KernelDefinition& definition) {
  std::vector<std::string> known;
  for (const auto& [name, value] : definition.problem) known.push_back(name);
  check_optional(init.total, known, "the total", definition.parameters);
  known.insert(known.end(), {"i", "u"});  // The element's index, and a uniform variate in [0, 1).
  check_optional(init.value, known, "the initial value", definition.parameters);
}

// Suggests the data type that has this name in C++, or the data types with the nearest names.
std::string nearest_type(const std::string& type, const std::vector<std::string>& known) {
  for (const DataTypeInfo& row : data_types()) {
    if (type == row.cuda_name) return fmt::format(" (did you mean {}?)", row.name);
  }
  return base::did_you_mean(type, known);
}

// Checks that the type of an argument is a data type, or a problem entry that names one. An error about a
// problem entry is at that entry.
void check_type(const Argument& argument, const KernelDefinition& definition, const TableReader& root) {
  const model::Value* entry = model::find(definition.problem, argument.type);
  const std::string type = entry != nullptr ? model::to_text(*entry) : argument.type;
  if (parse_data_type(type)) return;
  std::vector<std::string> known;
  for (const DataTypeInfo& row : data_types()) known.emplace_back(row.name);
  if (entry != nullptr) {
    throw base::InputError(fmt::format("problem.{} is {}, but it is the type of argument '{}'{}; expected {}",
                                       argument.type, model::to_literal(*entry), argument.name,
                                       nearest_type(type, known), fmt::join(known, ", ")),
                           root.table("problem").position(argument.type));
  }
  throw base::InputError(
      fmt::format("argument '{}' has type '{}'{}, expected {}, or a problem entry that names a type",
                  argument.name, type, nearest_type(type, known), fmt::join(known, ", ")),
      argument.position);
}

void check_argument(const Argument& argument, const KernelDefinition& definition, const Names& names,
                    const TableReader& root) {
  if (argument.tensor_map) return check_tensor_map(*argument.tensor_map, names);
  if (argument.texture) return check_texture(*argument.texture, names);
  check_initialiser(argument.init, definition);
  check_choice(argument.memory, names.with_parameters, "the argument's memory", memory_names());
  check_choice(argument.managed.residency, names.with_parameters, "the residency", page_place_names());
  check_optional(argument.managed.read_mostly, names.with_parameters, "the condition");
  check_choice(argument.managed.preferred_location, names.with_parameters, "the preferred location",
               advised_place_names());
  check_choice(argument.managed.accessed_by, names.with_parameters, "the processor", advised_place_names());
  check_type(argument, definition, root);
  const bool scratch = argument.kind == ArgumentKind::kScratch;
  check_optional(argument.count, scratch ? names.with_parameters : names.problem_and_device, "the count",
                 definition.parameters);
  check_optional(argument.value, names.problem_and_device, "the value", definition.parameters);
  check_optional(argument.width, names.problem_and_device, "the width", definition.parameters);
  check_optional(argument.pitch, names.with_parameters, "the pitch");
  if (argument.pitch && definition.host)
    throw base::InputError(
        fmt::format("the buffer '{}' of a [host] program has padded rows; expected no pitch, because copies "
                    "and fills do not know rows",
                    argument.name),
        argument.pitch->position());
}

void check_distinct(const KernelDefinition& definition) {
  std::set<std::string> seen;
  for (const model::Parameter& parameter : definition.parameters) {
    if (!seen.insert(parameter.name).second || model::find(definition.problem, parameter.name) != nullptr) {
      throw base::InputError(
          fmt::format("'{}' is used twice: parameters and problem entries must have different names",
                      parameter.name),
          parameter.position);
    }
  }
  for (const auto& [name, expression] : definition.defines) {
    if (!seen.insert(name).second || model::find(definition.problem, name) != nullptr) {
      throw base::InputError(
          fmt::format(
              "'{}' is used twice: a define needs a name that no define, parameter or problem entry has",
              name),
          expression.position());
    }
  }
  std::set<std::string> arguments;
  std::set<std::string> symbols;
  for (const Argument& argument : definition.arguments) {
    if (!argument.symbol.empty() && !symbols.insert(argument.symbol).second) {
      throw base::InputError(fmt::format("the symbol '{}' is used twice", argument.symbol),
                             argument.position);
    }
    if (!arguments.insert(argument.name).second) {
      throw base::InputError(fmt::format("the argument name '{}' is used twice", argument.name),
                             argument.position);
    }
  }
}

}  // namespace

void check_names(const KernelDefinition& definition, const TableReader& root) {
  const Names names = names_of(definition);
  check_distinct(definition);
  check_all_placeholders(definition, root, names.with_parameters);
  for (const ParameterCondition& condition : definition.parameter_conditions)
    check_expression(condition.when, names.with_parameters, "the condition");
  for (const model::Constraint& constraint : definition.constraints) {
    check_expression(constraint.expression, names.with_parameters, "the constraint");
  }
  for (const auto& [name, expression] : definition.defines)
    check_expression(expression, names.with_parameters, "the define");
  check_launch(definition.launch, names.with_parameters);
  for (const Launch& launch : definition.before) check_launch(launch, names.with_parameters);
  for (const Launch& launch : definition.after) check_launch(launch, names.with_parameters);
  check_launch(definition.check.launch, names.with_parameters);
  for (const Recommendation& one : definition.recommendations) {
    check_expression(one.when, names.problem_and_device, "the condition", definition.parameters);
    check_optional(one.cost, names.problem_and_device, "the cost", definition.parameters);
  }
  if (definition.host) check_host_names(definition, root.table("host"), names.with_parameters);
  for (const Argument& argument : definition.arguments) check_argument(argument, definition, names, root);
  check_optional(definition.check.absolute, names.problem_and_device, "the tolerance", definition.parameters);
  check_optional(definition.check.relative, names.problem_and_device, "the tolerance", definition.parameters);
  check_optional(definition.check.nondeterministic, names.with_parameters, "the condition");
  check_optional(definition.flops, names.problem_and_device, "flops", definition.parameters);
  check_optional(definition.bytes, names.problem_and_device, "bytes", definition.parameters);
  resolution::check_expression_types(definition);
}

}  // namespace warptune::kernel_templates::definition
