// What sizes that took no part say about all sizes of a range.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/covering/cover_search.h"
#include "tuner/covers/size_cover.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covering {

/// `CoverTable::loss`, or infinity if it is not known.
double loss_or_infinite(const covers::CoverTable& table, std::size_t configuration, std::size_t size);

/// How well a cover answers those of `sizes` that the table has.
std::vector<CheckedSize> check_sizes(const covers::CoverTable& table, const covers::SizeCover& cover,
                                     std::span<const covers::ListedSize> sizes);

/// `within` of `drawn` sizes, drawn at random, are within the limit. Returns the share of all sizes that are
/// at least within it with this confidence. It is the lower bound of Clopper and Pearson (Biometrika 26(4),
/// 1934), and 0 if none was drawn.
double share_lower_bound(std::size_t within, std::size_t drawn, double confidence);

}  // namespace warptune::tuner::covering
