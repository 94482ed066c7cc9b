#include "kernel_templates/resolution/recommendation.h"

#include <algorithm>

namespace warptune::kernel_templates::resolution {

namespace {

bool holds(const Recommendation& recommendation, const model::NamedValues& constants) {
  return recommendation.when.evaluate(constants).and_then(model::to_truth).value_or(false);
}

}  // namespace

std::optional<std::size_t> matching_recommendation(const KernelDefinition& definition,
                                                   const model::NamedValues& constants) {
  const std::vector<Recommendation>& all = definition.recommendations;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Recommendation& one) { return holds(one, constants); });
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

std::vector<std::size_t> valid_recommendations(const KernelDefinition& definition,
                                               const model::NamedValues& constants,
                                               const model::Space& space) {
  std::vector<std::size_t> valid;
  for (std::size_t i = 0; i < definition.recommendations.size(); ++i) {
    const Recommendation& one = definition.recommendations[i];
    if (!holds(one, constants)) continue;
    const base::Result<model::Configuration> chosen = space.configuration_of(one.values);
    if (chosen && space.contains(*chosen)) valid.push_back(i);
  }
  return valid;
}

}  // namespace warptune::kernel_templates::resolution
