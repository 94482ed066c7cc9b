#include "tuner/exporting/exported_recommendations.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tuner/exporting/exported_programs.h"

namespace warptune::tuner::exporting {

namespace {

// `condition` where the launch runs at all.
std::string where_it_runs(const kernel_templates::Launch& launch, std::string condition) {
  return launch.when ? fmt::format("!({}) || {}", launch.when->text(), condition) : condition;
}

}  // namespace

void add_recommendations(db::ExportInput& input, const kernel_templates::KernelDefinition& definition) {
  for (const kernel_templates::Recommendation& one : definition.recommendations)
    input.recommendations.push_back({one.when.text(), one.values});
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

}  // namespace warptune::tuner::exporting
