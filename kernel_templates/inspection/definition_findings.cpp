#include "kernel_templates/inspection/definition_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/inspection/name_uses.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/launch_limits.h"
#include "kernel_templates/resolution/launch_resolution.h"

namespace warptune::kernel_templates::inspection {

namespace {

model::NamedValues scope_of(const KernelInstance& instance, const model::NamedValues& configuration) {
  model::NamedValues scope = configuration;
  scope.insert(scope.end(), instance.constants().begin(), instance.constants().end());
  return scope;
}

struct NamedEntry {
  std::string entry;
  base::SourcePosition position;
  std::filesystem::path source;
};

std::vector<NamedEntry> named_entries(const KernelDefinition& definition) {
  std::vector<NamedEntry> entries;
  if (definition.variants.empty() && !definition.host)
    entries.push_back({definition.entry, definition.entry_position, definition.source});
  for (const Variant& variant : definition.variants)
    entries.push_back({variant.entry, variant.position, variant.source});
  for (const auto* launches : {&definition.before, &definition.after}) {
    if (!definition.variants.empty()) break;  // Their source is that of the variant.
    for (const Launch& launch : *launches)
      entries.push_back({launch.entry, launch.position, definition.source});
  }
  if (definition.host) {
    for (const HostLoop& loop : definition.host->loops) {
      for (const HostStep& step : loop.steps) {
        if (const auto* launch = std::get_if<HostLaunch>(&step.action))
          entries.push_back({launch->launch.entry, step.position, definition.source});
      }
    }
  }
  if (definition.check.reference == ReferenceKind::kEntry)
    entries.push_back(
        {definition.check.launch.entry, definition.check.launch.position, definition.check.source});
  return entries;
}

}  // namespace

Findings text_findings(const KernelDefinition& definition, const std::vector<SourceFacts>& sources) {
  Findings findings;
  for (const NamedEntry& named : named_entries(definition)) {
    const auto facts = std::find_if(sources.begin(), sources.end(),
                                    [&](const SourceFacts& one) { return one.source == named.source; });
    if (facts == sources.end()) continue;
    const std::string missing = missing_entry(*facts, named.entry);
    if (!missing.empty()) findings.push_back({Severity::kError, named.position, missing});
  }
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
                          fmt::format("the condition '{}' is {}, a number and no comparison; it holds "
                                      "wherever it is not 0",
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
    if (findings_.size() > before) return;
    const auto step = resolution::resolve_launch(launch, name, instance_.problem(), scope_);
    if (!step) return add(launch.position, step.error().reason);
    add_violation(launch, *step);
  }

 private:
  void add(const base::SourcePosition& position, const std::string& message) {
    findings_.push_back({Severity::kError, position, message});
  }
  void require(const model::Expression& expression, std::string_view what, std::int64_t minimum) {
    const base::Result<std::int64_t> value = resolution::integer_of(expression, scope_);
    if (!value) {
      add(expression.position(), fmt::format("{} {}", what, value.error()));
    } else if (*value < minimum) {
      add(expression.position(),
          fmt::format("{} '{}' is {}, expected {} or more", what, expression.text(), *value, minimum));
    }
  }
  // The position is that of what exceeds a limit: the block, else the grid, else the shared memory.
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

Findings launch_findings(const KernelInstance& instance, const model::NamedValues& configuration) {
  const KernelDefinition& definition = instance.definition();
  const model::NamedValues scope = scope_of(instance, configuration);
  Findings findings;
  LaunchInspection inspection(instance, scope, findings);
  if (definition.host) {
    const model::Outcome<LaunchPlan> plan = instance.screened_plan(configuration);
    if (!plan) {
      findings.push_back(
          {Severity::kError, definition.host->loops.front().steps.front().position, plan.error().reason});
    }
  } else {
    for (const Launch& launch : definition.before) inspection.run(launch, launch.entry);
    inspection.run(definition.launch, definition.entry);
    for (const Launch& launch : definition.after) inspection.run(launch, launch.entry);
  }
  const Check& check = definition.check;
  if (check.reference == ReferenceKind::kEntry) inspection.run(check.launch, check.launch.entry);
  return findings;
}

Findings uncovered_sizes(const KernelInstance& instance, const std::vector<SourceFacts>& sources,
                         const std::vector<model::NamedValues>& configurations) {
  const KernelDefinition& definition = instance.definition();
  const bool reads_grid = std::any_of(sources.begin(), sources.end(),
                                      [](const SourceFacts& facts) { return facts.mentions("gridDim"); });
  if (definition.host || !definition.before.empty() || !definition.after.empty() || reads_grid) return {};
  const auto is_size = [&](const std::string& text) {
    const std::vector<std::string> names = model::Expression::parse(text).variables();
    return !names.empty() && std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return model::find(instance.problem(), name) != nullptr;
    });
  };
  Findings findings;
  for (const model::Expression& grid : definition.launch.grid) {
    for (const model::NamedValues& configuration : configurations) {
      const auto dropped = grid.dropped_remainders(scope_of(instance, configuration));
      const auto found = std::find_if(dropped.begin(), dropped.end(),
                                      [&](const auto& one) { return is_size(one.dividend); });
      if (found == dropped.end()) continue;
      findings.push_back(
          {Severity::kError, grid.position(),
           fmt::format("the grid leaves out the last {} of {} for {}: '{} / {}' is rounded down; expected "
                       "ceil_div({}, {}), or a constraint",
                       found->remainder, found->dividend, model::to_text(configuration), found->dividend,
                       found->divisor, found->dividend, found->divisor)});
      break;
    }
  }
  return findings;
}

}  // namespace warptune::kernel_templates::inspection
