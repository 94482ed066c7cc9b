#include "tuner/covering/held_back.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace warptune::tuner::covering {

namespace {

// The probability of at least `within` successes among `drawn` if each has the probability `share`.
double chance_of_at_least(std::size_t within, std::size_t drawn, double share) {
  if (within == 0 || share >= 1.0) return 1.0;
  if (share <= 0.0) return 0.0;
  const auto n = static_cast<double>(drawn);
  double sum = 0.0;
  for (std::size_t k = within; k <= drawn; ++k) {
    const auto successes = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(successes + 1.0) - std::lgamma(n - successes + 1.0) +
                    successes * std::log(share) + (n - successes) * std::log1p(-share));
  }
  return sum;
}

}  // namespace

double loss_or_infinite(const covers::CoverTable& table, std::size_t configuration, std::size_t size) {
  return table.estimated_loss(configuration, size).value_or(std::numeric_limits<double>::infinity());
}

std::vector<CheckedSize> check_sizes(const covers::CoverTable& table, const covers::SizeCover& cover,
                                     std::span<const covers::ListedSize> sizes) {
  std::vector<CheckedSize> checked;
  for (const covers::ListedSize& at : sizes) {
    const std::optional<std::size_t> place = table.find(at.size);
    if (!place) continue;
    CheckedSize one{at, loss_or_infinite(table, cover.answer(at.size), *place)};
    one.min_loss = one.loss;
    for (const std::size_t c : cover.configurations)
      one.min_loss = std::min(one.min_loss, loss_or_infinite(table, c, *place));
    checked.push_back(std::move(one));
  }
  return checked;
}

double share_lower_bound(std::size_t within, std::size_t drawn, double confidence) {
  if (drawn == 0 || within == 0) return 0.0;
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2.0;
    (chance_of_at_least(within, drawn, middle) < 1.0 - confidence ? low : high) = middle;
  }
  return low;
}

}  // namespace warptune::tuner::covering
