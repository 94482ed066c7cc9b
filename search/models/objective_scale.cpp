#include "search/models/objective_scale.h"

#include <algorithm>
#include <cmath>

namespace warptune::search::models {

namespace {

constexpr double kLeastSpread = 1e-3;  // As a share of the best: below it all is noise.

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

ObjectiveScale::ObjectiveScale(const std::vector<double>& objectives) {
  best_objective_ = *std::min_element(objectives.begin(), objectives.end());
  logarithmic_ = best_objective_ > 0;
  const double middle = median(objectives);
  best_ = logarithmic_ ? std::log(best_objective_) : best_objective_;
  const double least = logarithmic_ ? kLeastSpread : std::max(kLeastSpread * std::abs(best_), 1e-300);
  spread_ = std::max((logarithmic_ ? std::log(middle) : middle) - best_, least);
  double sum = 0.0;
  double squares = 0.0;
  for (const double objective : objectives) sum += compressed(objective);
  mean_ = sum / static_cast<double>(objectives.size());
  for (const double objective : objectives) squares += std::pow(compressed(objective) - mean_, 2);
  // At least a little of the spread: equal objectives differ by nothing.
  deviation_ = std::max(std::sqrt(squares / static_cast<double>(objectives.size())), 1e-3 * spread_);
}

double ObjectiveScale::compressed(double objective) const {
  const double y = logarithmic_ ? std::log(objective) : objective;
  return spread_ * std::log1p((y - best_) / spread_);
}

double ObjectiveScale::to_model(double objective) const {
  return (compressed(objective) - mean_) / deviation_;
}

double ObjectiveScale::relative_gain(double model_difference) const {
  const double difference = model_difference * deviation_;
  return logarithmic_ ? -std::expm1(-difference) : difference / std::max(std::abs(best_objective_), 1e-300);
}

}  // namespace warptune::search::models
