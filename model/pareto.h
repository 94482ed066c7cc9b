#pragma once

#include <cstddef>
#include <vector>

namespace warptune::model {

/// Indices of the points that no other dominates, by rising first coordinate. Each coordinate is to be
/// minimised; a point dominates another when it is nowhere greater and somewhere less, so equal points all
/// stay. A point that has a NaN is left out. All points have the same number of coordinates.
std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& points);

}  // namespace warptune::model
