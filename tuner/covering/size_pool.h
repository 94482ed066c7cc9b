// The sizes of a range that may be measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "tuner/covers/size_range.h"

namespace warptune::tuner::covering {

/// How many sizes `draw_size` can draw, at most 1e9.
double size_count(const covers::SizeRange& range);

/// A size at random: each entry as its spread says (`covers::Spread`), or a listed size by its weight.
covers::ListedSize draw_size(const covers::SizeRange& range, base::Random& random);

/// All listed sizes. Without a list, the middle of the range and its corners, and then sizes at random, which
/// are added only while the result has fewer than `count` sizes. Each size occurs once.
std::vector<covers::ListedSize> size_pool(const covers::SizeRange& range, std::size_t count,
                                          std::uint64_t seed);

/// The `count` sizes of a pool that are spread out: the first is the one nearest to the middle (in
/// logarithms), and each further one is farthest from those before. For the latter, the distance of a size is
/// multiplied by the square root of its weight.
std::vector<covers::ListedSize> spread_out(const covers::SizeRange& range,
                                           const std::vector<covers::ListedSize>& pool, std::size_t count);

}  // namespace warptune::tuner::covering
