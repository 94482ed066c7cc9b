#include "tuner/covers/size_cover.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace warptune::tuner::covers {

namespace {

constexpr std::size_t kMinSizesForCosts = 8;

void add_losses(const CoverTable& table, const std::vector<std::size_t>& sizes, double limit_share,
                SizeCover& cover) {
  double weights = 0.0;
  for (const std::size_t s : sizes) {
    const CoverSize& size = table.sizes[s];
    const std::size_t answer = cover.answer(size.size);
    const std::optional<double> loss = table.estimated_loss(answer, s);
    if (!loss || !std::isfinite(*loss)) {
      ++cover.unknown;
      ++cover.beyond_limit;
      continue;
    }
    const double against_all = table.loss_against_all(answer, s);
    cover.within += *loss <= limit_share ? 1U : 0U;
    cover.worst_loss = std::max(cover.worst_loss, *loss);
    cover.worst_loss_against_all = std::max(cover.worst_loss_against_all, against_all);
    cover.beyond_limit += against_all > limit_share ? 1U : 0U;
    cover.mean_loss += size.weight * *loss;
    cover.mean_loss_against_all += size.weight * against_all;
    weights += size.weight;
  }
  if (weights == 0.0) return;
  cover.mean_loss /= weights;
  cover.mean_loss_against_all /= weights;
}

// What the list is learned from at these sizes. Those without a configuration within the limit are left out.
std::vector<ListExample> examples_at(const CoverTable& table, const std::vector<std::size_t>& sizes,
                                     const std::vector<std::size_t>& configurations, double limit_share) {
  std::vector<ListExample> examples;
  for (const std::size_t s : sizes) {
    ListExample example{table.sizes[s].size, table.sizes[s].weight, {}, {}};
    for (const std::size_t c : configurations) {
      const std::optional<double> loss = table.loss(c, s);
      example.allowed.push_back(loss && *loss <= limit_share);
      example.losses.push_back(loss);
    }
    if (std::ranges::find(example.allowed, true) != example.allowed.end())
      examples.push_back(std::move(example));
  }
  return examples;
}

bool may_have_costs(const CoverTable& table, const std::vector<std::size_t>& sizes) {
  return table.shape && sizes.size() >= kMinSizesForCosts &&
         !(table.demanded && table.demanded->demand == model::outputs::Reproducibility::Demand::kError);
}

// The costs, if they choose better than a list at sizes that are left out.
std::optional<CoverCosts> better_costs(const std::vector<std::string>& names, const CoverTable& table,
                                       const std::vector<std::size_t>& sizes, const SizeCover& cover,
                                       double limit_share) {
  std::optional<CoverCosts> costs = fit_costs(table, cover.configurations, sizes);
  if (!costs) return std::nullopt;
  const double by_costs = left_out_loss(table, cover.configurations, sizes, [&](const auto& others) {
    return Chooser([some = fit_costs(table, cover.configurations, others, costs->form)](const Size& size) {
      return some ? some->configuration_for(size) : std::nullopt;
    });
  });
  const double by_list = left_out_loss(table, cover.configurations, sizes, [&](const auto& others) {
    const std::vector<ListExample> examples = examples_at(table, others, cover.configurations, limit_share);
    if (examples.empty()) return Chooser([](const Size&) { return std::optional<std::size_t>(); });
    return Chooser([list = learn_list(names, examples)](const Size& size) {
      return std::optional(list.configuration_for(size));
    });
  });
  if (by_costs >= by_list) return std::nullopt;
  return costs;
}

}  // namespace

std::size_t SizeCover::answer(const Size& size) const {
  const std::optional<std::size_t> chosen = costs ? costs->configuration_for(size) : std::nullopt;
  return configurations[chosen ? *chosen : list.configuration_for(size)];
}

std::size_t min_compared_sizes(const CoverTable& table, const SizeCover& cover) {
  std::size_t fewest = table.sizes.size();
  for (const std::size_t c : cover.configurations) {
    const auto compared = std::ranges::count_if(
        table.sizes, [c](const CoverSize& size) { return size.outputs[c] == OutputsKnown::kMet; });
    fewest = std::min(fewest, static_cast<std::size_t>(compared));
  }
  return fewest;
}

std::optional<SizeCover> derive_cover(const std::vector<std::string>& names, const CoverTable& table,
                                      const CoverLimits& limits) {
  const std::vector<std::size_t> sizes = table.sizes_to_answer();
  if (sizes.empty()) return std::nullopt;
  LossMatrix losses;
  std::vector<double> weights;
  weights.reserve(sizes.size());
  for (const std::size_t s : sizes) weights.push_back(table.sizes[s].weight);
  losses.assign(table.configurations.size(), std::vector<std::optional<double>>(sizes.size()));
  for (std::size_t c = 0; c < losses.size(); ++c) {
    // If their number is limited, only those with a cost are chosen. Others would answer no size.
    if (limits.max_configurations > 0 && may_have_costs(table, sizes) && !has_cost(table, c, sizes)) continue;
    for (std::size_t i = 0; i < sizes.size(); ++i) losses[c][i] = table.loss(c, sizes[i]);
  }
  SizeCover cover;
  cover.answered = sizes.size();
  cover.configurations = choose_configurations(losses, weights, limits);
  const std::vector<ListExample> examples =
      examples_at(table, sizes, cover.configurations, limits.loss_share);
  cover.list = examples.empty() ? DecisionList{names, {DecisionLine{}}} : learn_list(names, examples);
  if (may_have_costs(table, sizes)) cover.costs = better_costs(names, table, sizes, cover, limits.loss_share);
  add_losses(table, sizes, limits.loss_share, cover);
  return cover;
}

}  // namespace warptune::tuner::covers
