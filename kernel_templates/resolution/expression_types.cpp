// Checks the expressions of a definition before a problem and a GPU are chosen: the types of their values,
// and the values of constant launch geometry.
#include "kernel_templates/resolution/expression_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <variant>

#include "base/error.h"
#include "kernel_templates/resolution/launch_limits.h"
#include "model/expressions/expression_type.h"

namespace warptune::kernel_templates::resolution {

namespace {

const model::Parameter* parameter_of(const KernelDefinition& definition, std::string_view name) {
  const auto found = std::find_if(definition.parameters.begin(), definition.parameters.end(),
                                  [&](const model::Parameter& one) { return one.name == name; });
  return found == definition.parameters.end() ? nullptr : &*found;
}

// Checks expressions of one definition. `what` names an expression in messages. An expression that is missing
// passes.
class TypeCheck {
 public:
  explicit TypeCheck(const KernelDefinition& definition) : definition_(definition) {}

  void condition(const std::optional<model::Expression>& expression, std::string_view what) const {
    if (expression) refuse_text(*expression, what, "a condition");
  }
  void number(const std::optional<model::Expression>& expression, std::string_view what) const {
    if (expression) refuse_text(*expression, what, "a number");
  }

  void text(const std::optional<model::Expression>& expression, std::string_view what) const {
    if (!expression) return;
    const std::optional<model::ValueType> type = type_in(definition_, *expression);
    if (!type || *type == model::ValueType::kText) return;
    throw base::InputError(fmt::format("{} '{}' is a number, expected text", what, expression->text()),
                           expression->position());
  }

  void launch(const Launch& launch) const {
    condition(launch.when, "when");
    condition(launch.cooperative, "cooperative");
    number(launch.shared_bytes, "shared_bytes");
    number(launch.carveout, "carveout");
    if (launch.carveout && type_in(definition_, *launch.carveout) == model::ValueType::kBoolean)
      throw base::InputError(
          fmt::format("carveout '{}' is a condition, expected a percentage from 0 to 100, or -1",
                      launch.carveout->text()),
          launch.carveout->position());
    text(launch.cluster_scheduling, "cluster_scheduling");
    extent(launch.grid, "grid", &kMaxGrid);
    extent(launch.block, "block", &kMaxBlock);
    extent(launch.cluster, "cluster", nullptr);
  }

 private:
  using Limits = std::array<std::int64_t, 3>;

  void refuse_text(const model::Expression& expression, std::string_view what,
                   std::string_view expected) const {
    if (type_in(definition_, expression) != model::ValueType::kText) return;
    throw base::InputError(fmt::format("{} '{}' is text, expected {}", what, expression.text(), expected),
                           expression.position());
  }

  // An expression without variables is compared with the limits. If `limits` is null, it may be any positive
  // number.
  void extent(const std::vector<model::Expression>& expressions, std::string_view what,
              const Limits* limits) const {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      const model::Expression& expression = expressions[i];
      refuse_text(expression, what, "an integer");
      if (!expression.variables().empty()) continue;
      const base::Result<std::int64_t> value =
          expression.evaluate(model::NamedValues{}).and_then(model::to_integer);
      const std::int64_t maximum = limits == nullptr ? INT64_MAX : (*limits)[i];
      if (value && *value >= 1 && *value <= maximum) continue;
      throw base::InputError(
          fmt::format("{} '{}' is {}, expected an integer from 1 to {} in dimension {}", what,
                      expression.text(), value ? std::to_string(*value) : value.error(), maximum, i),
          expression.position());
    }
  }

  const KernelDefinition& definition_;
};

model::expressions::TypeLookup types_of_names(const KernelDefinition& definition) {
  return [&definition](std::string_view name) -> std::optional<model::ValueType> {
    if (const model::Value* value = model::find(definition.problem, name)) return model::type_of(*value);
    const model::Parameter* parameter = parameter_of(definition, name);
    if (parameter != nullptr) return model::type_of(parameter->values.front());
    if (name.starts_with("device_")) return model::ValueType::kInteger;
    return std::nullopt;
  };
}

}  // namespace

std::optional<model::ValueType> type_in(const KernelDefinition& definition,
                                        const model::Expression& expression) {
  return model::expressions::type_of(expression, types_of_names(definition));
}

std::vector<model::expressions::NumericOperand> numeric_operands(const KernelDefinition& definition,
                                                                 const model::Expression& condition) {
  auto operands = model::expressions::numeric_operands(condition, types_of_names(definition));
  std::erase_if(operands, [&](const auto& operand) {
    return is_flag(definition, model::Expression::parse(operand.text));
  });
  return operands;
}

bool is_flag(const KernelDefinition& definition, const model::Expression& expression) {
  const auto zero_or_one = [](const model::Value& value) {
    return value == model::Value(std::int64_t{0}) || value == model::Value(std::int64_t{1});
  };
  if (expression.variables().size() != 1 || expression.variables().front() != expression.text()) return false;
  if (const model::Value* value = model::find(definition.problem, expression.text()))
    return zero_or_one(*value);
  const model::Parameter* parameter = parameter_of(definition, expression.text());
  return parameter != nullptr && std::all_of(parameter->values.begin(), parameter->values.end(), zero_or_one);
}

void check_expression_types(const KernelDefinition& definition) {
  const TypeCheck check(definition);
  for (const ParameterCondition& condition : definition.parameter_conditions)
    check.condition(condition.when, "the condition");
  for (const model::Constraint& constraint : definition.constraints)
    check.condition(constraint.expression, "the constraint");
  for (const Recommendation& one : definition.recommendations) {
    check.condition(one.when, "the condition");
    check.number(one.cost, "the cost");
  }
  if (!definition.host) check.launch(definition.launch);
  for (const auto* launches : {&definition.before, &definition.after}) {
    for (const Launch& launch : *launches) check.launch(launch);
  }
  if (definition.host) {
    for (const HostLoop& loop : definition.host->loops) {
      for (const HostStep& step : loop.steps) {
        if (const auto* launch = std::get_if<HostLaunch>(&step.action)) check.launch(launch->launch);
      }
    }
  }
  if (definition.check.reference == ReferenceKind::kEntry) check.launch(definition.check.launch);
  for (const Argument& argument : definition.arguments) {
    check.number(argument.count, "the count");
    check.number(argument.value, "the value");
    check.number(argument.width, "the width");
    check.number(argument.pitch, "the pitch");
  }
  check.number(definition.check.absolute, "the tolerance");
  check.number(definition.check.relative, "the tolerance");
  check.condition(definition.check.nondeterministic, "nondeterministic");
  check.number(definition.flops, "flops");
  check.number(definition.bytes, "bytes");
}

}  // namespace warptune::kernel_templates::resolution
