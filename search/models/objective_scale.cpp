#include "search/models/objective_scale.h"

#include <algorithm>
#include <cmath>

namespace warptune::search::models {

namespace {

constexpr double kMinSpread = 1e-3;  // As a share of the best. Smaller differences are noise.

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

ObjectiveScale::ObjectiveScale(const std::vector<double>& objectives, bool compress) : compress_(compress) {
  const double best = *std::min_element(objectives.begin(), objectives.end());
  const double middle = median(objectives);
  logarithmic_ = best > 0;
  best_ = logarithmic_ ? std::log(best) : best;
  const double minimum = logarithmic_ ? kMinSpread : std::max(kMinSpread * std::abs(best), 1e-300);
  spread_ = std::max((logarithmic_ ? std::log(middle) : middle) - best_, minimum);
}

double ObjectiveScale::compressed(double objective) const {
  const double y = logarithmic_ ? std::log(objective) : objective;
  const double above = std::max(0.0, y - best_);
  return compress_ ? spread_ * std::log1p(above / spread_) : above;
}

}  // namespace warptune::search::models
