// What sizes that took no part say about all sizes of a range.
#pragma once

#include <cstddef>

namespace warptune::tuner::covering {

/// `within` of `drawn` sizes, drawn at random, are within the limit. Returns the share of all sizes that are
/// at least within it with this confidence. It is the lower bound of Clopper and Pearson (Biometrika 26(4),
/// 1934), and 0 if none was drawn.
double share_lower_bound(std::size_t within, std::size_t drawn, double confidence);

}  // namespace warptune::tuner::covering
