#include "model/pareto.h"

#include <algorithm>
#include <cmath>

namespace warptune::model {

namespace {

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool less = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    less = less || a[i] < b[i];
  }
  return less;
}

}  // namespace

std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool bad = std::any_of(points[i].begin(), points[i].end(), [](double x) { return std::isnan(x); });
    if (!bad) order.push_back(i);
  }
  // In lexicographic order a point comes after all points that dominate it.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return points[a] < points[b]; });
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order) {
    const bool dominated = std::any_of(front.begin(), front.end(), [&](std::size_t member) {
      return dominates(points[member], points[candidate]);
    });
    if (!dominated) front.push_back(candidate);
  }
  return front;
}

}  // namespace warptune::model
