#include "kernel_templates/inspection/definition_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/inspection/entry_findings.h"
#include "kernel_templates/inspection/name_uses.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/default_check.h"
#include "kernel_templates/resolution/launch_limits.h"
#include "kernel_templates/resolution/launch_resolution.h"
#include "kernel_templates/resolution/recommendation.h"

namespace warptune::kernel_templates::inspection {

namespace {

model::NamedValues scope_of(const KernelInstance& instance, const model::NamedValues& configuration) {
  model::NamedValues scope = configuration;
  scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
  return scope;
}

}  // namespace

Findings text_findings(const KernelDefinition& definition, const std::vector<SourceFacts>& sources) {
  Findings findings = entry_findings(definition, sources);
  const Findings unused = unused_names(definition, sources);
  findings.insert(findings.end(), unused.begin(), unused.end());
  for (const DefinitionWarning& warning : warnings_of(definition))
    findings.push_back({Severity::kWarning, warning.position, warning.message});
  return findings;
}

Findings numeric_conditions(const KernelInstance& instance,
                            const std::vector<model::NamedValues>& configurations) {
  const KernelDefinition& definition = instance.definition();
  Findings findings;
  const auto inspect = [&](const model::Expression& expression) {
    for (const model::NamedValues& configuration : configurations) {
      const base::Result<model::Value> value = expression.evaluate(scope_of(instance, configuration));
      if (!value || std::holds_alternative<bool>(*value)) continue;
      const base::Result<std::int64_t> integer = model::to_integer(*value);
      const bool is_flag = expression.variables().size() == 1 &&
                           expression.variables().front() == expression.text() && integer &&
                           (*integer == 0 || *integer == 1);
      if (is_flag) continue;
      findings.push_back({Severity::kWarning, expression.position(),
                          fmt::format("the condition '{}' is {}, which is a number and not a comparison; "
                                      "it holds wherever it is not 0",
                                      expression.text(), model::to_literal(*value))});
      return;
    }
  };
  for (const ParameterCondition& condition : definition.parameter_conditions) inspect(condition.when);
  return findings;
}

namespace {

// Inspects one launch.
class LaunchInspection {
 public:
  LaunchInspection(const KernelInstance& instance, const model::NamedValues& scope, Findings& findings)
      : instance_(instance), scope_(scope), findings_(findings) {}

  void run(const Launch& launch, const std::string& name) {
    const model::Outcome<bool> wanted = resolution::holds(launch.when, scope_);
    if (!wanted) return add(launch.when->position(), wanted.error().reason);
    if (!*wanted) return;
    const std::size_t before = findings_.size();
    for (const auto& [expressions, what] :
         {std::pair{&launch.grid, "the grid"}, std::pair{&launch.block, "the block"},
          std::pair{&launch.cluster, "the cluster"}}) {
      for (const model::Expression& expression : *expressions) require(expression, what, 1);
    }
    if (launch.shared_bytes) require(*launch.shared_bytes, "shared_bytes", 0);
    if (launch.carveout) require(*launch.carveout, "carveout", -1, 100);
    if (findings_.size() > before) return;
    const auto step = resolution::resolve_launch(launch, name, instance_.problem(), scope_);
    if (!step) return add(launch.position, step.error().reason);
    add_violation(launch, *step);
  }

 private:
  void add(const base::SourcePosition& position, const std::string& message) {
    findings_.push_back({Severity::kError, position, message});
  }
  void require(const model::Expression& expression, std::string_view what, std::int64_t minimum,
               std::int64_t maximum = INT64_MAX) {
    const base::Result<std::int64_t> value = resolution::integer_of(expression, scope_);
    if (!value) {
      add(expression.position(), fmt::format("{} {}", what, value.error()));
    } else if (*value < minimum || *value > maximum) {
      const std::string expected = maximum == INT64_MAX ? fmt::format("{} or more", minimum)
                                                        : fmt::format("{} to {}", minimum, maximum);
      add(expression.position(),
          fmt::format("{} '{}' is {}, expected {}", what, expression.text(), *value, expected));
    }
  }
  // The position is that of the first part that exceeds a limit: block, grid or shared memory.
  void add_violation(const Launch& launch, const LaunchStep& step) {
    const model::GpuDescription& gpu = instance_.gpu();
    LaunchStep part = step;
    part.grid = {1, 1, 1};
    part.shared_bytes = 0;
    if (const auto fault = resolution::limit_violation(part, gpu))
      return add(launch.block.front().position(), *fault);
    for (std::size_t i = 0; i < launch.grid.size(); ++i) {
      part.grid[i] = step.grid[i];
      if (const auto fault = resolution::limit_violation(part, gpu))
        return add(launch.grid[i].position(), *fault);
    }
    if (const auto fault = resolution::limit_violation(step, gpu))
      add(launch.shared_bytes->position(), *fault);
  }

  const KernelInstance& instance_;
  const model::NamedValues& scope_;
  Findings& findings_;
};

}  // namespace

namespace {

// Warnings about costs that cannot be computed although the condition holds.
Findings cost_findings(const KernelInstance& instance) {
  Findings findings;
  for (const Recommendation& one : instance.definition().recommendations) {
    if (!one.cost || !resolution::condition_holds(one, instance.constants())) continue;
    const base::Result<double> cost = resolution::cost_of(one, instance.constants());
    if (cost) continue;
    findings.push_back(
        {Severity::kWarning, one.cost->position(),
         fmt::format("the cost '{}' cannot be computed for {}, so this recommendation is passed over: {}",
                     one.cost->text(), model::to_text(instance.problem()), cost.error())});
  }
  return findings;
}

// A warning if recommendations hold but none can be used.
Findings value_findings(const KernelInstance& instance) {
  const KernelDefinition& definition = instance.definition();
  const auto at = resolution::matching_recommendation(definition, instance.constants());
  if (!at || !instance.recommended_configuration().empty()) return {};
  const Recommendation& recommendation = definition.recommendations[*at];
  const std::optional<std::string> broken = resolution::why_not_in(instance.space(), recommendation.values);
  if (!broken ||
      resolution::violates_only_gpu_constraints(definition, recommendation.values, instance.problem()))
    return {};
  return {{Severity::kWarning, recommendation.position,
           fmt::format("what is recommended for {} is not a valid configuration: {}",
                       model::to_text(instance.problem()), *broken)}};
}

}  // namespace

Findings recommendation_findings(const KernelInstance& instance) {
  Findings findings = cost_findings(instance);
  const Findings of_values = value_findings(instance);
  findings.insert(findings.end(), of_values.begin(), of_values.end());
  return findings;
}

namespace {

// The position of the first step of a host program that launches `entry`, or else of its first step.
base::SourcePosition step_position(const HostProgram& program, const std::string& entry) {
  for (const HostLoop& loop : program.loops) {
    for (const HostStep& step : loop.steps) {
      const auto* launch = std::get_if<HostLaunch>(&step.action);
      if (launch != nullptr && launch->launch.entry == entry) return step.position;
    }
  }
  return program.loops.front().steps.front().position;
}

// Adds why a host program cannot run. Faults of arguments are not reported here.
void add_host_finding(const KernelInstance& instance, const model::NamedValues& configuration,
                      const model::NamedValues& scope, Findings& findings) {
  const KernelDefinition& definition = instance.definition();
  const auto arguments = instance.arguments(configuration);
  if (!arguments) return;
  base::SourcePosition position;
  const auto plan = resolution::resolve_host_program(definition, definition.entry, instance.problem(), scope,
                                                     *arguments, &position);
  if (!plan) {
    findings.push_back({Severity::kError, position, plan.error().reason});
    return;
  }
  for (const PlanStep& step : plan->steps) {
    if (step.launch() == nullptr) continue;
    const auto fault = resolution::limit_violation(*step.launch(), instance.gpu());
    if (!fault) continue;
    findings.push_back({Severity::kError, step_position(*definition.host, step.launch()->entry), *fault});
    return;
  }
}

}  // namespace

Findings launch_findings(const KernelInstance& instance, const model::NamedValues& configuration) {
  const KernelDefinition& definition = instance.definition();
  const model::NamedValues scope = scope_of(instance, configuration);
  Findings findings;
  LaunchInspection inspection(instance, scope, findings);
  if (definition.host) {
    add_host_finding(instance, configuration, scope, findings);
  } else {
    for (const Launch& launch : definition.before) inspection.run(launch, launch.entry);
    inspection.run(definition.launch, definition.entry);
    for (const Launch& launch : definition.after) inspection.run(launch, launch.entry);
  }
  const Check& check = definition.check;
  if (check.reference == ReferenceKind::kEntry) inspection.run(check.launch, check.launch.entry);
  return findings;
}

}  // namespace warptune::kernel_templates::inspection
