#include "tuner/covering/held_back.h"

#include <cmath>

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
