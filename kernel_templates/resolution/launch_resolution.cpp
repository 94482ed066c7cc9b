#include "kernel_templates/resolution/launch_resolution.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/host_actions.h"

namespace warptune::kernel_templates::resolution {

namespace {

model::Outcome<std::array<std::int64_t, 3>> extent_of(const std::vector<model::Expression>& expressions,
                                                      const model::NamedValues& scope) {
  std::array<std::int64_t, 3> extent{1, 1, 1};
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const base::Result<std::int64_t> value = integer_of(expressions[i], scope);
    if (!value) return invalid_launch(value.error());
    if (*value < 1)
      return invalid_launch(fmt::format("'{}' is {}, expected 1 or more", expressions[i].text(), *value));
    extent[i] = *value;
  }
  return extent;
}

}  // namespace

tl::unexpected<model::Rejection> invalid_launch(std::string reason) {
  return base::failure(model::Rejection{model::Status::kLaunchInvalid, std::move(reason)});
}

model::Outcome<bool> holds(const std::optional<model::Expression>& condition,
                           const model::NamedValues& scope) {
  if (!condition) return true;
  const base::Result<bool> truth = condition->evaluate(scope).and_then(model::to_truth);
  if (!truth) return invalid_launch(fmt::format("'{}': {}", condition->text(), truth.error()));
  return *truth;
}

model::Outcome<LaunchStep> resolve_launch(const Launch& launch, const std::string& entry,
                                          const model::NamedValues& problem,
                                          const model::NamedValues& scope) {
  LaunchStep step;
  const base::Result<std::string> filled = compiling::fill_placeholders(entry, problem, scope);
  if (!filled) return invalid_launch(filled.error());
  step.entry = *filled;
  for (const auto& [expressions, extent] :
       {std::pair{&launch.grid, &step.grid}, std::pair{&launch.block, &step.block},
        std::pair{&launch.cluster, &step.cluster}}) {
    const model::Outcome<std::array<std::int64_t, 3>> value = extent_of(*expressions, scope);
    if (!value) return base::failure(value.error());
    *extent = *value;
  }
  if (launch.shared_bytes) {
    const base::Result<std::int64_t> bytes = integer_of(*launch.shared_bytes, scope);
    if (!bytes) return invalid_launch(bytes.error());
    if (*bytes < 0) return invalid_launch(fmt::format("shared_bytes is {}, expected 0 or more", *bytes));
    step.shared_bytes = *bytes;
  }
  if (launch.cooperative) {
    const model::Outcome<bool> cooperative = holds(launch.cooperative, scope);
    if (!cooperative) return base::failure(cooperative.error());
    step.cooperative = *cooperative;
  }
  if (launch.carveout) {
    const base::Result<std::int64_t> percent = integer_of(*launch.carveout, scope);
    if (!percent) return invalid_launch(percent.error());
    if (*percent < -1 || *percent > 100)
      return invalid_launch(
          fmt::format("carveout is {}, expected a percentage from 0 to 100, or -1", *percent));
    if (*percent >= 0) step.carveout = static_cast<int>(*percent);
  }
  if (launch.cluster_scheduling) {
    const base::Result<std::size_t> scheduling =
        index_of_choice(*launch.cluster_scheduling, cluster_scheduling_names(), "cluster_scheduling", scope);
    if (!scheduling) return invalid_launch(scheduling.error());
    step.cluster_scheduling = static_cast<ClusterScheduling>(*scheduling);
  }
  return step;
}

model::Outcome<LaunchPlan> resolve_launches(const KernelDefinition& definition, const std::string& main_entry,
                                            const model::NamedValues& problem,
                                            const model::NamedValues& scope,
                                            const ArgumentResolver& arguments) {
  LaunchPlan plan;
  const auto append = [&](const Launch& launch, const std::string& entry) -> std::optional<model::Rejection> {
    const model::Outcome<bool> wanted = holds(launch.when, scope);
    if (!wanted) return wanted.error();
    if (!*wanted) return std::nullopt;
    model::Outcome<LaunchStep> step = resolve_launch(launch, entry, problem, scope);
    if (!step) return step.error();
    if (launch.arguments) {
      const auto resolved = arguments();
      if (!resolved) return resolved.error();
      if (auto fault = resolve_passed(launch, {problem, scope, *resolved}, *step)) return fault;
    }
    plan.steps.push_back({std::move(*step), 0});
    return std::nullopt;
  };
  for (const Launch& launch : definition.before) {
    if (auto rejection = append(launch, launch.entry)) return base::failure(*rejection);
  }
  plan.main = plan.steps.size();
  if (auto rejection = append(definition.launch, main_entry)) return base::failure(*rejection);
  for (const Launch& launch : definition.after) {
    if (auto rejection = append(launch, launch.entry)) return base::failure(*rejection);
  }
  return plan;
}

}  // namespace warptune::kernel_templates::resolution
