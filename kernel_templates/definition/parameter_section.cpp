// Reads [parameters].
//
// A parameter with the condition `when` gets the constraint `(when) || parameter == otherwise`. Where the
// condition does not hold, the parameter's value makes no difference, so `otherwise` is the only valid one.
// The space then has no two configurations that differ only in such a value. Conditions that depend on each
// other in a circle are refused by a depth-first search.
#include "kernel_templates/definition/parameter_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warptune::kernel_templates::definition {

namespace {

std::vector<model::Value> read_values(const toml::array& list, const TableReader& table,
                                      std::string_view key) {
  std::vector<model::Value> values;
  bool any_real = false;
  for (const toml::node& element : list) {
    const std::optional<model::Value> value = scalar_of(element);
    if (!value) table.fail(key, "a list of integers, reals, booleans or texts");
    any_real = any_real || model::type_of(*value) == model::ValueType::kReal;
    values.push_back(*value);
  }
  for (model::Value& value : values) {  // [0.5, 1] becomes a list of reals.
    if (any_real && std::holds_alternative<std::int64_t>(value))
      value = static_cast<double>(std::get<std::int64_t>(value));
  }
  return values;
}

std::vector<model::Value> read_range(const TableReader& table) {
  const toml::node* node = table.node("range");
  const toml::array* range = node->as_array();
  if (range == nullptr || range->size() != 2 || !(*range)[0].is_number() || !(*range)[1].is_number()) {
    table.fail("range", "[first, last]");
  }
  const toml::node* given_step = table.node("step");
  const bool integers = (*range)[0].is_integer() && (*range)[1].is_integer() &&
                        (given_step == nullptr || given_step->is_integer());
  const double first = *(*range)[0].value<double>();
  const double last = *(*range)[1].value<double>();
  const std::string scale = table.text("scale").value_or("linear");
  if (scale != "linear" && scale != "log2") table.fail("scale", "\"linear\" or \"log2\"");
  const double step = table.number("step").value_or(scale == "log2" ? 2.0 : 1.0);
  const bool grows = scale == "log2" ? step > 1.0 && first > 0.0 : step > 0.0;
  if (!grows || first > last)
    table.fail("range", "first <= last and a step above 0 (log2: first above 0 and a step above 1)");
  constexpr std::size_t kMaxValues = 10'000;
  // Rounding errors must not lose the last value.
  const double end = scale == "log2" ? last * (1 + 1e-12) : last + step * 1e-9;
  std::vector<model::Value> values;
  for (std::size_t i = 0;; ++i) {
    const double exponent = static_cast<double>(i);
    const double value = scale == "log2" ? first * std::pow(step, exponent) : first + step * exponent;
    if (value > end) break;
    if (i == kMaxValues) table.fail("range", fmt::format("at most {} values", kMaxValues));
    values.push_back(integers ? model::Value(static_cast<std::int64_t>(std::llround(value)))
                              : model::Value(value));
  }
  return values;
}

// Reads `when` and `otherwise` of a parameter whose values have been read.
void read_condition(const TableReader& table, const model::Parameter& parameter,
                    std::vector<ParameterCondition>& conditions) {
  const std::optional<model::Expression> when = table.expression("when");
  const toml::node* otherwise = table.node("otherwise");
  if (!when && otherwise != nullptr) table.fail("when", "a condition, because the parameter has 'otherwise'");
  if (!when) return;
  ParameterCondition condition{parameter.name, *when, parameter.values.front()};
  if (otherwise != nullptr) {
    const std::optional<model::Value> value = value_like(*otherwise, parameter.values.front());
    if (!value ||
        std::find(parameter.values.begin(), parameter.values.end(), *value) == parameter.values.end())
      table.fail("otherwise", "one of the parameter's values");
    condition.otherwise = *value;
  }
  conditions.push_back(std::move(condition));
}

model::Parameter read_parameter(const TableReader& parameters, const std::string& name,
                                const toml::node& node, std::vector<ParameterCondition>& conditions) {
  model::Parameter parameter;
  parameter.name = name;
  parameter.position = position_of(node, parameters.file());
  require_identifier(name, parameter.position);
  if (node.is_array()) {
    parameter.values = read_values(*node.as_array(), parameters, name);
  } else if (node.is_table()) {
    const TableReader table = parameters.table(name);
    table.allow_only({"values", "range", "scale", "step", "description", "when", "otherwise"});
    parameter.description = table.text("description").value_or("");
    if (table.node("range") != nullptr) {
      parameter.values = read_range(table);
    } else if (table.node("values") != nullptr && table.node("values")->is_array()) {
      parameter.values = read_values(*table.node("values")->as_array(), table, "values");
    } else {
      table.fail("values", "a list of values, or a range");
    }
    if (!parameter.values.empty()) read_condition(table, parameter, conditions);
  } else {
    parameters.fail(name, "a list of values, or a table with values or a range");
  }
  if (parameter.values.empty()) parameters.fail(name, "at least one value");
  return parameter;
}

using Conditions = std::vector<ParameterCondition>;

const ParameterCondition* find_condition(const Conditions& conditions, const std::string& parameter) {
  const auto found = std::find_if(conditions.begin(), conditions.end(),
                                  [&](const auto& condition) { return condition.parameter == parameter; });
  return found == conditions.end() ? nullptr : &*found;
}

// Follows the dependencies of the last condition of `path`. Throws if they lead back into the path.
void follow(const Conditions& conditions, std::vector<const ParameterCondition*>& path,
            std::set<const ParameterCondition*>& done) {
  const ParameterCondition* last = path.back();
  for (const std::string& name : last->when.variables()) {
    const ParameterCondition* next = find_condition(conditions, name);
    if (next == nullptr || done.count(next) > 0) continue;
    const auto start = std::find(path.begin(), path.end(), next);
    if (start != path.end()) {
      std::string circle;
      for (auto it = start; it != path.end(); ++it) circle += (*it)->parameter + " -> ";
      throw base::InputError(fmt::format("conditions depend on each other in a circle: {}{}; expected one of "
                                         "these parameters to have no condition",
                                         circle, next->parameter),
                             last->when.position());
    }
    path.push_back(next);
    follow(conditions, path, done);
  }
  done.insert(last);
  path.pop_back();
}

}  // namespace

void read_parameters(const TableReader& table, KernelDefinition& definition) {
  for (const auto& [name, node] : table.entries()) {
    definition.parameters.push_back(read_parameter(table, name, *node, definition.parameter_conditions));
  }
}

void constrain_conditional_parameters(KernelDefinition& definition) {
  std::set<const ParameterCondition*> done;
  for (const ParameterCondition& condition : definition.parameter_conditions) {
    if (done.count(&condition) > 0) continue;
    std::vector<const ParameterCondition*> path = {&condition};
    follow(definition.parameter_conditions, path, done);
  }
  for (const ParameterCondition& condition : definition.parameter_conditions) {
    const std::string otherwise = model::to_literal(condition.otherwise);
    definition.constraints.push_back(
        {model::Expression::parse(
             fmt::format("({}) || {} == {}", condition.when.text(), condition.parameter, otherwise),
             condition.when.position()),
         fmt::format("{} matters only when {}, else it is {}", condition.parameter, condition.when.text(),
                     otherwise)});
  }
}

}  // namespace warptune::kernel_templates::definition
