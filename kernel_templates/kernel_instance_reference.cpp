// The reference of a kernel instance: its program, its launches, and the tolerance of the comparison.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/host_actions.h"
#include "kernel_templates/resolution/launch_resolution.h"

namespace warptune::kernel_templates {

namespace {

// The macros of problem entries that name types, as in the kernel's own program. If an argument has the same
// name as an entry, no macro is defined, so the name in the expression refers to the argument.
std::vector<std::string> type_macros(const KernelDefinition& definition, const model::NamedValues& problem) {
  std::vector<std::string> macros;
  for (const auto& [name, value] : problem) {
    const std::optional<DataType> type = compiling::type_of_entry(problem, name);
    const std::string& wanted = name;
    const bool taken = std::any_of(
        definition.arguments.begin(), definition.arguments.end(),
        [&](const Argument& argument) { return argument.name == wanted || argument.symbol == wanted; });
    if (type && !taken) macros.push_back(fmt::format("-D{}={}", name, info(*type).cuda_name));
  }
  return macros;
}

}  // namespace

model::Outcome<CompileRequest> KernelInstance::reference_request() const {
  const Check& check = definition_.check;
  if (check.reference == ReferenceKind::kConfiguration) return compile_request(check.configuration);
  if (check.reference == ReferenceKind::kExpression) {
    CompileRequest request;
    request.program_name = definition_.path.string() + " [check] expression";
    request.source = compiling::expression_reference_source(definition_, problem_, constants_);
    request.entries = {compiling::kExpressionEntry};
    request.variables = compiling::variables_of(definition_);
    request.options = {"-std=" + definition_.language};
    for (const std::string& folder : toolkit_) request.options.push_back("-I" + folder);
    for (std::string& option : type_macros(definition_, problem_))
      request.options.push_back(std::move(option));
    request.architecture = gpu_.architecture();
    return request;
  }
  // The reference shares the source with the kernel, so the macros of the parameters need values.
  const model::NamedValues any_configuration =
      default_configuration().empty() ? space_.values_of(space_.at(0)) : default_configuration();
  return request_of(check.source, {check.launch.entry}, any_configuration, /*is_reference=*/true);
}

model::Outcome<std::vector<ResolvedArgument>> KernelInstance::reference_arguments() const {
  const Check& check = definition_.check;
  if (check.reference == ReferenceKind::kConfiguration) return arguments(check.configuration);
  model::Outcome<std::vector<ResolvedArgument>> resolved =
      arguments(default_configuration().empty() ? space_.values_of(space_.at(0)) : default_configuration());
  if (!resolved) return resolved;
  for (ResolvedArgument& argument : *resolved) {
    argument.memory = Memory::kDevice;
    if (check.reference == ReferenceKind::kExpression) argument.pitch = argument.width;
  }
  return resolved;
}

model::Outcome<LaunchPlan> KernelInstance::reference_plan() const {
  const Check& check = definition_.check;
  if (check.reference == ReferenceKind::kConfiguration) return launch_plan(check.configuration);
  LaunchPlan plan;
  if (check.reference == ReferenceKind::kExpression) {
    LaunchStep step;
    step.entry = compiling::kExpressionEntry;
    step.grid = {4096, 1, 1};  // The generated kernel loops over all elements, so any grid is right.
    step.block = {256, 1, 1};
    plan.steps = {{step, 0}};
    return plan;
  }
  const model::NamedValues any_configuration =
      default_configuration().empty() ? space_.values_of(space_.at(0)) : default_configuration();
  model::Outcome<LaunchStep> step =
      resolution::resolve_launch(check.launch, check.launch.entry, problem_, scope(any_configuration));
  if (!step) return base::failure(step.error());
  if (check.launch.arguments) {
    const auto resolved = arguments(any_configuration);
    if (!resolved) return base::failure(resolved.error());
    const resolution::HostScope names(problem_, scope(any_configuration), *resolved);
    if (const auto fault = resolution::resolve_passed(check.launch, names, *step))
      return base::failure(*fault);
  }
  plan.steps = {{*step, 0}};
  return plan;
}

bool KernelInstance::is_nondeterministic(const model::NamedValues& configuration) const {
  const std::optional<model::Expression>& condition = definition_.check.nondeterministic;
  return condition && condition->evaluate(scope(configuration)).and_then(model::to_truth).value_or(false);
}

Tolerance KernelInstance::tolerance(DataType type) const {
  const Check& check = definition_.check;
  if (check.absolute || check.relative) {
    return {check.absolute ? resolution::real_of(*check.absolute, constants_) : 0.0,
            check.relative ? resolution::real_of(*check.relative, constants_) : 0.0};
  }
  switch (type) {  // A few rounding errors of the type (docs/kernel-definition.md).
    case DataType::kF64:
      return {1e-12, 1e-12};
    case DataType::kF32:
      return {1e-5, 1e-5};
    case DataType::kF16:
      return {1e-2, 1e-2};
    case DataType::kBf16:
      return {5e-2, 5e-2};
    default:
      return {};
  }
}

}  // namespace warptune::kernel_templates
