#include "model/median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace warptune::model {

namespace {

void drop_nan(std::vector<double>& values) {
  std::erase_if(values, [](double x) { return std::isnan(x); });
}

// How many samples the interval leaves out at each end. The remaining range contains the median with a
// probability of at least 95 %. It is the greatest k with P(Binomial(n, 1/2) < k) <= 2.5 %.
std::size_t samples_outside_interval(std::size_t n) {
  const auto count = static_cast<double>(n);
  double log_term = -count * std::log(2.0);
  double below = 0.0;
  for (std::size_t k = 0; k < n / 2; ++k) {
    below += std::exp(log_term);
    if (below > 0.025) return k;
    const auto i = static_cast<double>(k);
    log_term += std::log((count - i) / (i + 1.0));
  }
  return n / 2;
}

}  // namespace

std::optional<MedianInterval> median_interval(std::vector<double> values) {
  drop_nan(values);
  if (values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const std::size_t middle = n / 2;
  MedianInterval interval;
  interval.median = n % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2.0;
  // The interval is from the k-th smallest value to the k-th largest.
  const std::size_t k = std::max<std::size_t>(samples_outside_interval(n), 1);
  interval.low = values[k - 1];
  interval.high = values[n - k];
  return interval;
}

std::optional<double> median_of(std::vector<double> values) {
  drop_nan(values);
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2.0;
}

}  // namespace warptune::model
