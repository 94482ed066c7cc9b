// What sizes that took no part say about all sizes of a range.
#pragma once

#include <cstddef>

namespace warptune::tuner::covering {

/// The smallest share of all sizes that are within the limit, with this confidence, if `within` of `drawn`
/// sizes drawn at random are: the lower bound of Clopper and Pearson (Biometrika 26(4), 1934). 0 if none was
/// drawn.
double least_share(std::size_t within, std::size_t drawn, double confidence);

}  // namespace warptune::tuner::covering
