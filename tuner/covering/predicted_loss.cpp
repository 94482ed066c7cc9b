#include "tuner/covering/predicted_loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace warptune::tuner::covering {

namespace {

constexpr std::size_t kNearest = 6;
constexpr double kLargestLoss = 3.0;       // Larger losses count as this one.
constexpr std::size_t kNamed = 8;          // Configurations that are measured first.
constexpr double kReused = 0.02;           // How much more a configuration of the cover may lose.
constexpr double kLossPerDoubling = 0.01;  // The part that grows with the distance.

}  // namespace

double predicted_loss(const covers::CoverTable& table, std::size_t configuration, const covers::Size& size) {
  std::vector<std::pair<double, double>> known;  // Distances and losses.
  for (std::size_t s = 0; s < table.sizes.size(); ++s) {
    const covers::CoverSize& at = table.sizes[s];
    const std::optional<double> loss = table.loss(configuration, s);
    if (at.held_back || !loss || at.size == size) continue;
    known.emplace_back(covers::distance(at.size, size), std::min(*loss, kLargestLoss));
  }
  if (known.empty()) return std::numeric_limits<double>::infinity();
  const std::size_t count = std::min(known.size(), kNearest);
  std::partial_sort(known.begin(), known.begin() + static_cast<std::ptrdiff_t>(count), known.end());
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t k = 0; k < count; ++k) {
    const double weight = 1.0 / ((0.25 + known[k].first) * (0.25 + known[k].first));
    sum += weight * std::log1p(known[k].second);
    weights += weight;
  }
  return std::expm1(sum / weights) + kLossPerDoubling * known.front().first;
}

std::vector<double> predicted_losses(const covers::CoverTable& table, const covers::CostPredictions& costs,
                                     const covers::Size& size) {
  const std::vector<std::optional<double>> by_cost = costs.losses_at(size);
  std::vector<double> losses(by_cost.size(), std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < by_cost.size(); ++c) {
    if (table.is_excluded(c)) continue;
    if (by_cost[c]) {
      losses[c] = *by_cost[c];
    } else if (!table.shape || table.shape->allows(table.configurations[c], size)) {
      losses[c] = predicted_loss(table, c, size);
    }
  }
  return losses;
}

std::vector<model::NamedValues> likely_best(const covers::CoverTable& table, const covers::SizeCover& cover,
                                            const covers::Size& size) {
  const std::size_t answer = cover.answer(size);
  const std::vector<double> losses =
      predicted_losses(table, covers::CostPredictions(table, table.sizes_to_answer()), size);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t c = 0; c < losses.size(); ++c) {
    const bool reused = std::count(cover.configurations.begin(), cover.configurations.end(), c) > 0;
    if (c != answer && std::isfinite(losses[c])) ranked.emplace_back(losses[c] - (reused ? kReused : 0.0), c);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<model::NamedValues> named = {table.configurations[answer]};
  for (const auto& [predicted, c] : ranked) {
    if (named.size() == kNamed) break;
    named.push_back(table.configurations[c]);
  }
  return named;
}

}  // namespace warptune::tuner::covering
