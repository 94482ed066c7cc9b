#include "search/scoring/significance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"
#include "search/scoring/run_figures.h"

namespace warptune::search::scoring {

namespace {

constexpr std::size_t kMaxExact = 50;  // For more differences the normal approximation is used.
constexpr int kResamples = 2000;

// The mean rank of each absolute difference, doubled so that it is a whole number. `sizes` is in ascending
// order.
std::vector<std::uint64_t> doubled_ranks(const std::vector<double>& sizes) {
  std::vector<std::uint64_t> ranks(sizes.size());
  for (std::size_t first = 0; first < sizes.size();) {
    std::size_t end = first;
    while (end < sizes.size() && sizes[end] == sizes[first]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[i] = first + end + 1;
    first = end;
  }
  return ranks;
}

// The probability that the sum of the positive ranks is at most `sum`, if each sign has the probability 1/2.
// The distribution is built up rank by rank (dynamic programming).
double exact_lower_tail(const std::vector<std::uint64_t>& ranks, std::uint64_t sum) {
  const std::uint64_t total = std::accumulate(ranks.begin(), ranks.end(), std::uint64_t{0});
  std::vector<double> probability(total + 1, 0.0);
  probability[0] = 1.0;
  std::uint64_t maximum = 0;
  for (const std::uint64_t rank : ranks) {
    maximum += rank;
    for (std::uint64_t s = maximum + 1; s-- > 0;) {
      probability[s] = 0.5 * (probability[s] + (s >= rank ? probability[s - rank] : 0.0));
    }
  }
  return std::accumulate(probability.begin(), probability.begin() + static_cast<std::ptrdiff_t>(sum + 1),
                         0.0);
}

double normal_two_sided(const std::vector<std::uint64_t>& ranks, double smaller_sum) {
  double mean = 0.0;
  double variance = 0.0;  // For independent signs: a quarter of the sum of squared ranks, also with ties.
  for (const std::uint64_t doubled : ranks) {
    const double rank = static_cast<double>(doubled) / 2.0;
    mean += rank / 2.0;
    variance += rank * rank / 4.0;
  }
  const double distance = std::max(0.0, mean - smaller_sum - 0.5);
  return std::erfc(distance / std::sqrt(2.0 * variance));
}

}  // namespace

SignedRankTest signed_rank_test(std::span<const double> differences) {
  std::vector<double> kept;
  for (const double difference : differences) {
    if (difference != 0.0 && !std::isnan(difference)) kept.push_back(difference);
  }
  std::sort(kept.begin(), kept.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  SignedRankTest test;
  if (kept.empty()) return test;
  std::vector<double> sizes;
  sizes.reserve(kept.size());
  for (const double difference : kept) sizes.push_back(std::abs(difference));
  const std::vector<std::uint64_t> ranks = doubled_ranks(sizes);
  std::uint64_t below_sum = 0;
  std::uint64_t above_sum = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] < 0.0) ++test.below;
    (kept[i] < 0.0 ? below_sum : above_sum) += ranks[i];
  }
  test.above = kept.size() - test.below;
  const std::uint64_t smaller = std::min(below_sum, above_sum);
  test.p_value = kept.size() <= kMaxExact ? std::min(1.0, 2.0 * exact_lower_tail(ranks, smaller))
                                          : normal_two_sided(ranks, static_cast<double>(smaller) / 2.0);
  return test;
}

std::vector<double> holm_adjusted(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::vector<double> adjusted(p_values.size());
  double running_maximum = 0.0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto left = static_cast<double>(order.size() - i);
    running_maximum = std::max(running_maximum, std::min(1.0, left * p_values[order[i]]));
    adjusted[order[i]] = running_maximum;
  }
  return adjusted;
}

std::optional<MeanInterval> bootstrap_mean(std::span<const std::vector<double>> groups, std::uint64_t seed) {
  if (groups.empty()) return std::nullopt;
  std::vector<double> group_means;
  for (const std::vector<double>& group : groups) group_means.push_back(mean_of(group));
  base::Random random(seed);
  std::vector<double> means;
  for (int resample = 0; resample < kResamples; ++resample) {
    double sum = 0.0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const std::vector<double>& group = groups[random.below(groups.size())];
      double group_sum = 0.0;
      for (std::size_t j = 0; j < group.size(); ++j) group_sum += group[random.below(group.size())];
      sum += group_sum / static_cast<double>(group.size());
    }
    means.push_back(sum / static_cast<double>(groups.size()));
  }
  return MeanInterval{mean_of(group_means), quantile(means, 0.025), quantile(means, 0.975)};
}

}  // namespace warptune::search::scoring
