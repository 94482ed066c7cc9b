#pragma once

#include <cstddef>
#include <vector>

namespace warptune::model {

/// Returns the indices of the points that no other point dominates, by increasing first coordinate. Each
/// coordinate is minimised. A point dominates another one if it is greater in no coordinate and less in at
/// least one, so all copies of a point stay. Points with a NaN are left out. All points have the same number
/// of coordinates.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points);

}  // namespace warptune::model
