// What a configuration is expected to lose at a size where it was not measured.
#pragma once

#include <cstddef>

#include "tuner/covers/size_cover.h"

namespace warptune::tuner::covering {

/// The predicted loss of a configuration at a size, as a share. It is the mean of its losses at the nearest
/// sizes where it was measured, weighted by their distances. A part that grows with the distance is added.
/// Sizes that are held back are not used, and neither is the size itself. Infinite if nothing is known.
double predicted_loss(const covers::CoverTable& table, std::size_t configuration, const covers::Size& size);

}  // namespace warptune::tuner::covering
