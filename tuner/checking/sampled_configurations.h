#pragma once

#include <cstdint>
#include <vector>

#include "base/cancellation.h"
#include "model/space.h"

namespace warptune::tuner::checking {

/// Different configurations, drawn at random; fewer if the space has fewer.
std::vector<model::NamedValues> drawn(const model::Space& space, std::uint64_t count, std::uint64_t seed);

/// All configurations of a space. Throws `base::WorkError` if it is cancelled.
std::vector<model::NamedValues> all_of(const model::Space& space, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::checking
