#include "search/scoring/curve_fits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace warptune::search::scoring {

namespace {

// The derivative at an end, from the two nearest steps and slopes. It is limited so that the curve does not
// overshoot.
double end_derivative(double near_step, double far_step, double near_slope, double far_slope) {
  const double estimate =
      ((2.0 * near_step + far_step) * near_slope - near_step * far_slope) / (near_step + far_step);
  if (estimate * near_slope <= 0.0) return 0.0;
  if (near_slope * far_slope <= 0.0 && std::abs(estimate) > 3.0 * std::abs(near_slope)) {
    return 3.0 * near_slope;
  }
  return estimate;
}

std::vector<double> derivatives(const std::vector<double>& steps, const std::vector<double>& slopes) {
  const std::size_t last = steps.size();
  if (last == 1) return {slopes[0], slopes[0]};
  std::vector<double> all(last + 1, 0.0);
  all[0] = end_derivative(steps[0], steps[1], slopes[0], slopes[1]);
  all[last] = end_derivative(steps[last - 1], steps[last - 2], slopes[last - 1], slopes[last - 2]);
  for (std::size_t i = 1; i < last; ++i) {
    if (slopes[i - 1] * slopes[i] <= 0.0) continue;
    const double before = 2.0 * steps[i] + steps[i - 1];
    const double after = steps[i] + 2.0 * steps[i - 1];
    all[i] = (before + after) / (before / slopes[i - 1] + after / slopes[i]);
  }
  return all;
}

// Adjacent points that have the same value in the regression.
struct Block {
  double sum = 0.0;
  double weight = 0.0;
  std::size_t points = 0;
  double mean() const { return sum / weight; }
};

}  // namespace

std::vector<double> monotone_cubic(std::span<const double> x, std::span<const double> y,
                                   std::span<const double> at) {
  std::vector<double> steps;
  std::vector<double> slopes;
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    steps.push_back(x[i + 1] - x[i]);
    slopes.push_back((y[i + 1] - y[i]) / steps.back());
  }
  const std::vector<double> tangents = derivatives(steps, slopes);
  std::vector<double> values;
  for (const double position : at) {
    const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, position) - x.begin();
    const auto i = static_cast<std::size_t>(above - 1);
    const double u = (position - x[i]) / steps[i];
    const double rest = 1.0 - u;
    // The cubic Hermite basis on the unit interval.
    values.push_back(y[i] * (1.0 + 2.0 * u) * rest * rest + y[i + 1] * u * u * (3.0 - 2.0 * u) +
                     steps[i] * u * rest * (tangents[i] * rest - tangents[i + 1] * u));
  }
  return values;
}

double Curve::at(double position) const {
  const auto above = static_cast<std::size_t>(std::upper_bound(x.begin(), x.end(), position) - x.begin());
  if (above == 0) return y.front();
  if (above == x.size()) return y.back();
  const double share = (position - x[above - 1]) / (x[above] - x[above - 1]);
  return y[above - 1] + share * (y[above] - y[above - 1]);
}

Curve decreasing_regression(std::span<const double> x, std::span<const double> y,
                            std::span<const double> weights) {
  Curve curve;
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < x.size();) {
    Block block{0.0, 0.0, 1};
    const double position = x[i];
    for (; i < x.size() && x[i] == position; ++i) {
      block.sum += weights[i] * y[i];
      block.weight += weights[i];
    }
    if (block.weight <= 0.0) continue;
    curve.x.push_back(position);
    while (!blocks.empty() && blocks.back().mean() <= block.mean()) {
      block.sum += blocks.back().sum;
      block.weight += blocks.back().weight;
      block.points += blocks.back().points;
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  for (const Block& block : blocks) curve.y.insert(curve.y.end(), block.points, block.mean());
  return curve;
}

}  // namespace warptune::search::scoring
