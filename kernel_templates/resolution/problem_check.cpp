#include "kernel_templates/resolution/problem_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/launch_limits.h"

namespace warptune::kernel_templates::resolution {

namespace {

void check_tolerance(const std::optional<model::Expression>& tolerance, std::string_view name,
                     const model::NamedValues& constants) {
  if (!tolerance) return;
  const double value = real_of(*tolerance, constants);
  if (value >= 0.0) return;
  throw base::InputError(fmt::format("check.{} is {}, expected 0 or more", name, value),
                         tolerance->position());
}

class LaunchCheck {
 public:
  LaunchCheck(const model::NamedValues& problem, const model::NamedValues& constants)
      : problem_(problem), constants_(constants) {}

  void check(const Launch& launch) const {
    if (launch.when) return;  // It may never run.
    check(launch.grid, "grid", kMaxGrid);
    check(launch.block, "block", kMaxBlock);
  }

 private:
  void check(const std::vector<model::Expression>& expressions, std::string_view what,
             const std::array<std::int64_t, 3>& limits) const {
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      const model::Expression& expression = expressions[i];
      const bool depends_on_no_parameter =
          std::all_of(expression.variables().begin(), expression.variables().end(),
                      [&](const std::string& name) { return model::find(constants_, name) != nullptr; });
      if (!depends_on_no_parameter) continue;
      const base::Result<std::int64_t> value = integer_of(expression, constants_);
      if (value && *value >= 1 && *value <= limits[i]) continue;
      throw base::InputError(
          value ? fmt::format("{} '{}' is {} for {}, expected 1 to {} in dimension {}", what,
                              expression.text(), *value, model::to_text(problem_), limits[i], i)
                : fmt::format("{} {} for {}", what, value.error(), model::to_text(problem_)),
          expression.position());
    }
  }

  const model::NamedValues& problem_;
  const model::NamedValues& constants_;
};

}  // namespace

void check_problem(const KernelDefinition& definition, const model::NamedValues& problem,
                   const model::NamedValues& constants) {
  check_tolerance(definition.check.absolute, "absolute", constants);
  check_tolerance(definition.check.relative, "relative", constants);
  if (definition.host) return;
  const LaunchCheck launches(problem, constants);
  launches.check(definition.launch);
  for (const auto* further : {&definition.before, &definition.after}) {
    for (const Launch& launch : *further) launches.check(launch);
  }
}

}  // namespace warptune::kernel_templates::resolution
