// The fewest sets that together contain every element.
#pragma once

#include <cstddef>
#include <vector>

namespace warptune::tuner::covers {

/// Chooses as few sets as possible that together contain all elements: `sets[s][e]` says whether set `s`
/// contains element `e`. Elements that no set contains are left out. The result is proven to be the fewest
/// (branch and bound) unless that takes more than `max_steps` steps; then it may have more than needed. Among
/// equally many, sets with more elements are preferred. The result is in ascending order.
std::vector<std::size_t> minimum_cover(const std::vector<std::vector<bool>>& sets,
                                       std::size_t max_steps = 10000);

}  // namespace warptune::tuner::covers
