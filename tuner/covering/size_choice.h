// Where a cover is least sure.
#pragma once

#include <vector>

#include "tuner/covers/size_cover.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covering {

/// What the answer of a cover lost at a size, before the size was measured.
struct Surprise {
  covers::Size size;
  double loss = 0.0;
};

/// How unsure it is that the cover answers a size within the limit, in a unit of its own. Three things make
/// it large: a large predicted loss of the answer, large surprises nearby, and a large distance to all
/// measured sizes. The weight of the size counts as its square root.
double uncertainty(const covers::CoverTable& table, const covers::SizeCover& cover,
                   const std::vector<Surprise>& surprises, const covers::ListedSize& at);

}  // namespace warptune::tuner::covering
