#include "kernel_templates/definition_warnings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.h"
#include "kernel_templates/resolution/expression_types.h"

namespace warptune::kernel_templates {

namespace {

bool has_output(const KernelDefinition& definition) {
  return std::any_of(definition.arguments.begin(), definition.arguments.end(), [](const Argument& argument) {
    return argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut;
  });
}

void add_numeric_constraints(const KernelDefinition& definition, std::vector<DefinitionWarning>& warnings) {
  for (const model::Constraint& constraint : definition.constraints) {
    const auto type = resolution::type_in(definition, constraint.expression);
    if (type != model::ValueType::kInteger && type != model::ValueType::kReal) continue;
    if (resolution::is_flag(definition, constraint.expression)) continue;
    warnings.push_back({fmt::format("the constraint '{}' is a number, which holds unless it is 0; expected a "
                                    "comparison such as '{} <= 1024'",
                                    constraint.expression.text(), constraint.expression.text()),
                        constraint.expression.position()});
  }
}

// Checks the constraints and the conditions of parameters. `constraints` ends with one constraint for each
// such condition; these are left out, because they contain the condition.
void add_numeric_operands(const KernelDefinition& definition, std::vector<DefinitionWarning>& warnings) {
  std::vector<const model::Expression*> conditions;
  for (std::size_t i = 0; i + definition.parameter_conditions.size() < definition.constraints.size(); ++i)
    conditions.push_back(&definition.constraints[i].expression);
  for (const ParameterCondition& condition : definition.parameter_conditions)
    conditions.push_back(&condition.when);
  for (const model::Expression* condition : conditions) {
    for (const auto& operand : resolution::numeric_operands(definition, *condition)) {
      warnings.push_back({fmt::format("'{}' in '{}' is a number, which holds unless it is 0; expected a "
                                      "comparison such as '{} <= 1024'",
                                      operand.text, condition->text(), operand.text),
                          operand.position});
    }
  }
}

}  // namespace

bool is_checked(const KernelDefinition& definition) {
  return definition.check.reference != ReferenceKind::kNone && has_output(definition);
}

std::vector<DefinitionWarning> warnings_of(const KernelDefinition& definition) {
  std::vector<DefinitionWarning> warnings;
  add_numeric_constraints(definition, warnings);
  add_numeric_operands(definition, warnings);
  if (definition.check.reference == ReferenceKind::kNone) {
    warnings.push_back({fmt::format("'{}' has no [check]: results are not compared with a reference, so a "
                                    "wrong configuration can win",
                                    definition.name),
                        definition.position});
  } else if (!has_output(definition)) {
    warnings.push_back({fmt::format("'{}' has no argument of kind out or inout: [check] compares nothing, so "
                                    "a wrong configuration can win",
                                    definition.name),
                        definition.position});
  }
  return warnings;
}

std::string to_string(const DefinitionWarning& warning) {
  const std::string where = base::to_string(warning.position);
  return where.empty() ? warning.message : fmt::format("{}: {}", where, warning.message);
}

void log_warnings_of(const KernelDefinition& definition) {
  for (const DefinitionWarning& warning : warnings_of(definition)) base::log_warning(to_string(warning));
}

}  // namespace warptune::kernel_templates
