// What a configuration is expected to lose at a size where it was not measured, and which are worth trying.
#pragma once

#include <cstddef>
#include <vector>

#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covering {

/// The predicted loss of a configuration at a size, as a share. It is the mean of its losses at the nearest
/// sizes where it was measured, weighted by their distances. A part that grows with the distance is added.
/// Sizes that are held back are not used, and neither is the size itself. Infinite if nothing is known.
double predicted_loss(const covers::CoverTable& table, std::size_t configuration, const covers::Size& size);

/// What the configurations of a table are expected to lose at a size, by configuration: what costs predict,
/// or else `predicted_loss`. Infinite if nothing is known, or if a configuration is not valid at the size.
std::vector<double> predicted_losses(const covers::CoverTable& table, const covers::CostPredictions& costs,
                                     const covers::Size& size);

/// The configurations to measure first at a size, at most eight: the cover's answer, and then those with the
/// smallest predicted losses. One of the cover is preferred even if it is predicted to lose slightly more.
std::vector<model::NamedValues> likely_best(const covers::CoverTable& table, const covers::SizeCover& cover,
                                            const covers::Size& size);

}  // namespace warptune::tuner::covering
