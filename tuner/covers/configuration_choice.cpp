#include "tuner/covers/configuration_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tuner/covers/set_cover.h"

namespace warptune::tuner::covers {

namespace {

constexpr double kLargestLoss = 1.5;  // A logarithm. It counts for what is not known, too.
constexpr double kBeyond = 0.05;      // Is added to losses beyond the limit.
constexpr double kForbidden = 1e3;    // Is added to them if they can be avoided.
constexpr int kMaxExchanges = 5;      // How often all configurations are tried in each place.

using Penalties = std::vector<std::vector<double>>;  // By configuration and size.

// Large losses count more than in proportion. A loss beyond the limit counts `beyond` more.
Penalties penalties_of(const LossMatrix& losses, const std::vector<double>& weights, double limit_share,
                       double beyond) {
  Penalties penalties;
  for (const auto& row : losses) {
    std::vector<double> penalty;
    for (std::size_t s = 0; s < row.size(); ++s) {
      const double loss = row[s] ? std::min(std::log1p(std::max(*row[s], 0.0)), kLargestLoss) : kLargestLoss;
      const bool is_within = row[s] && *row[s] <= limit_share;
      penalty.push_back(weights[s] * (loss + loss * loss + (is_within ? 0.0 : beyond)));
    }
    penalties.push_back(std::move(penalty));
  }
  return penalties;
}

double sum_with(const std::vector<double>& lowest, const std::vector<double>& added) {
  double sum = 0.0;
  for (std::size_t s = 0; s < lowest.size(); ++s) sum += std::min(lowest[s], added[s]);
  return sum;
}

// The configuration with which the sum is lowest.
std::size_t best_with(const std::vector<double>& lowest, const Penalties& penalties, double& sum) {
  std::size_t best = 0;
  sum = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < penalties.size(); ++c) {
    const double here = sum_with(lowest, penalties[c]);
    if (here < sum) {
      sum = here;
      best = c;
    }
  }
  return best;
}

std::vector<double> lowest_without(const Penalties& penalties, const std::vector<std::size_t>& chosen,
                                   std::size_t left_out) {
  std::vector<double> lowest(penalties.front().size(), std::numeric_limits<double>::infinity());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    if (k == left_out) continue;
    for (std::size_t s = 0; s < lowest.size(); ++s) lowest[s] = std::min(lowest[s], penalties[chosen[k]][s]);
  }
  return lowest;
}

// The first configurations that lower the sum most.
std::vector<std::size_t> first_choice(const Penalties& penalties, std::size_t count) {
  std::vector<std::size_t> chosen;
  double sum = 0.0;
  while (chosen.size() < count)
    chosen.push_back(best_with(lowest_without(penalties, chosen, chosen.size()), penalties, sum));
  return chosen;
}

// Exchanges one configuration at a time as long as that lowers the sum.
std::vector<std::size_t> exchanged(const Penalties& penalties, std::vector<std::size_t> chosen) {
  bool changed = true;
  for (int round = 0; changed && round < kMaxExchanges; ++round) {
    changed = false;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      const std::vector<double> lowest = lowest_without(penalties, chosen, k);
      const double before = sum_with(lowest, penalties[chosen[k]]);
      double sum = 0.0;
      const std::size_t other = best_with(lowest, penalties, sum);
      if (sum >= before - 1e-9) continue;
      chosen[k] = other;
      changed = true;
    }
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace

std::vector<std::size_t> choose_configurations(const LossMatrix& losses, const std::vector<double>& weights,
                                               const CoverLimits& limits) {
  std::vector<std::vector<bool>> within;
  for (const auto& row : losses) {
    std::vector<bool> one;
    one.reserve(row.size());
    for (const std::optional<double>& loss : row) one.push_back(loss && *loss <= limits.loss_share);
    within.push_back(std::move(one));
  }
  std::vector<std::size_t> fewest = minimum_cover(within, limits.max_steps);
  if (fewest.empty()) return fewest;
  const bool are_enough = limits.max_configurations == 0 || fewest.size() <= limits.max_configurations;
  const Penalties penalties =
      penalties_of(losses, weights, limits.loss_share, are_enough ? kForbidden : kBeyond);
  return exchanged(penalties,
                   are_enough ? std::move(fewest) : first_choice(penalties, limits.max_configurations));
}

}  // namespace warptune::tuner::covers
