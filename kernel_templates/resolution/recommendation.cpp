#include "kernel_templates/resolution/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace warptune::kernel_templates::resolution {

namespace {

struct Candidate {
  std::size_t at;
  double cost;
};

// The places of those that hold, in the order of preference.
std::vector<std::size_t> in_order_of_preference(const std::vector<Recommendation>& all,
                                                const model::NamedValues& constants) {
  std::vector<std::size_t> order;
  std::vector<Candidate> group;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (condition_holds(all[i], constants)) {
      if (const base::Result<double> cost = cost_of(all[i], constants)) group.push_back({i, *cost});
    }
    const bool is_last = i + 1 == all.size() || !all[i].cost || !all[i + 1].cost;
    if (!is_last) continue;
    std::stable_sort(group.begin(), group.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    std::transform(group.begin(), group.end(), std::back_inserter(order),
                   [](const Candidate& one) { return one.at; });
    group.clear();
  }
  return order;
}

}  // namespace

bool condition_holds(const Recommendation& recommendation, const model::NamedValues& constants) {
  return recommendation.when.evaluate(constants).and_then(model::to_truth).value_or(false);
}

bool same_conditions_hold(const KernelDefinition& definition, const model::NamedValues& constants,
                          const model::NamedValues& other) {
  return std::all_of(definition.recommendations.begin(), definition.recommendations.end(),
                     [&](const Recommendation& one) {
                       return condition_holds(one, constants) == condition_holds(one, other);
                     });
}

base::Result<double> cost_of(const Recommendation& recommendation, const model::NamedValues& constants) {
  if (!recommendation.cost) return 0.0;
  const base::Result<model::Value> value = recommendation.cost->evaluate(constants);
  if (!value) return base::failure(value.error());
  const std::optional<double> cost = model::to_number(*value);
  if (!cost || !std::isfinite(*cost))
    return base::failure(fmt::format("it is {}, expected a finite number", model::to_literal(*value)));
  return *cost;
}

std::optional<std::size_t> matching_recommendation(const KernelDefinition& definition,
                                                   const model::NamedValues& constants) {
  const std::vector<std::size_t> order = in_order_of_preference(definition.recommendations, constants);
  return order.empty() ? std::nullopt : std::optional(order.front());
}

std::vector<std::size_t> valid_recommendations(const KernelDefinition& definition,
                                               const model::NamedValues& constants,
                                               const model::Space& space) {
  std::vector<std::size_t> order = in_order_of_preference(definition.recommendations, constants);
  std::erase_if(order, [&](std::size_t at) {
    const base::Result<model::Configuration> chosen =
        space.configuration_of(definition.recommendations[at].values);
    return !chosen || !space.contains(*chosen);
  });
  return order;
}

}  // namespace warptune::kernel_templates::resolution
