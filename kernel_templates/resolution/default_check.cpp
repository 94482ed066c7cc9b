// Checks a default configuration. If it is invalid, the cause is the definition, the given sizes, or the GPU.
#include "kernel_templates/resolution/default_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "kernel_templates/resolution/empty_space.h"

namespace warptune::kernel_templates::resolution {

std::optional<std::string> why_not_in(const model::Space& space, const model::NamedValues& values) {
  const base::Result<model::Configuration> chosen = space.configuration_of(values);
  return chosen ? space.broken_constraint(*chosen) : std::optional<std::string>(chosen.error());
}

bool violates_only_gpu_constraints(const KernelDefinition& definition,
                                   const model::NamedValues& configuration,
                                   const model::NamedValues& problem) {
  model::NamedValues names = configuration;
  names.insert(names.end(), problem.begin(), problem.end());
  return std::all_of(
      definition.constraints.begin(), definition.constraints.end(), [&](const model::Constraint& constraint) {
        const std::vector<std::string>& used = constraint.expression.variables();
        const bool device = std::any_of(used.begin(), used.end(),
                                        [](const auto& name) { return name.starts_with("device_"); });
        return device || constraint.expression.evaluate(names).and_then(model::to_truth).value_or(false);
      });
}

bool is_valid_default(const KernelDefinition& definition, const model::Space& space) {
  if (definition.default_configuration.empty()) return false;
  const base::Result<model::Configuration> chosen = space.configuration_of(definition.default_configuration);
  return chosen && space.contains(*chosen);
}

void check_default(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants, const model::NamedValues& overrides,
                   const model::Space& space) {
  if (is_valid_default(definition, space)) return;
  if (space.size() == 0) throw empty_space(definition, problem, constants);
  if (definition.default_configuration.empty() || !overrides.empty()) return;
  const std::optional<std::string> broken = why_not_in(space, definition.default_configuration);
  if (broken && !violates_only_gpu_constraints(definition, definition.default_configuration, problem)) {
    throw base::InputError(fmt::format("[default] is not a valid configuration: {}", *broken),
                           {definition.path.string(), 0, 0});
  }
}

}  // namespace warptune::kernel_templates::resolution
