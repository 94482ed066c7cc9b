#include "tuner/exporting/exported_recommendations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "model/expression.h"

namespace warptune::tuner::exporting {

namespace {

// `condition` where the launch runs at all.
std::string where_it_runs(const kernel_templates::Launch& launch, std::string condition) {
  return launch.when ? fmt::format("!({}) || {}", launch.when->text(), condition) : condition;
}

// Whether a condition holds, or may hold for other values of names that `scope` lacks.
bool may_hold(const model::Expression& condition, const model::NamedValues& scope) {
  const base::Result<bool> holds = condition.evaluate(scope).and_then(model::to_truth);
  if (holds) return *holds;
  const std::vector<std::string>& used = condition.variables();
  return std::any_of(used.begin(), used.end(),
                     [&](const std::string& name) { return model::find(scope, name) == nullptr; });
}

}  // namespace

void add_recommendations(db::ExportInput& input, const kernel_templates::KernelDefinition& definition) {
  for (const kernel_templates::Recommendation& one : definition.recommendations) {
    input.recommendations.push_back({one.when.text(), one.values});
    if (one.cost) input.recommendations.back().cost = one.cost->text();
  }
  if (input.recommendations.empty() || definition.host) return;
  for (const kernel_templates::Launch* launch : launches_of(definition)) {
    std::string threads;
    for (const model::Expression& extent : launch->block)
      threads += fmt::format("{}({})", threads.empty() ? "" : " * ", extent.text());
    if (!threads.empty())
      input.launch_limits.push_back(where_it_runs(*launch, threads + " <= device_max_threads_per_block"));
    if (launch->shared_bytes) {
      input.launch_limits.push_back(where_it_runs(
          *launch, fmt::format("({}) <= device_shared_bytes_per_block_optin", launch->shared_bytes->text())));
    }
  }
}

bool may_be_chosen(const kernel_templates::KernelInstance& instance,
                   const db::ExportedRecommendation& recommendation, const ExportedProgram& program) {
  model::NamedValues scope;
  for (const auto& [name, value] : instance.problem()) {
    const bool is_size = std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
    if (!is_size || program.defines(name)) scope.emplace_back(name, value);
  }
  if (!may_hold(model::Expression::parse(recommendation.when), scope)) return false;
  const model::NamedValues gpu = instance.gpu().attributes();
  for (const model::NamedValues* further : {&gpu, &recommendation.values})
    scope.insert(scope.end(), further->begin(), further->end());
  const std::vector<model::Constraint>& constraints = instance.definition().constraints;
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const auto& constraint) { return may_hold(constraint.expression, scope); });
}

}  // namespace warptune::tuner::exporting
