// GPU predicates as people write them in campaign files.
#pragma once

#include <string_view>

#include "fleet/gpu_predicate.h"

namespace warptune::tuner::campaigns {

/// Reads a condition on the compute capability into `predicate`: `9.0`, `>=8.0`, `<=9.0` or `8.0..9.0`.
/// Throws `base::InputError` without a position for any other text.
void read_capability(std::string_view text, fleet::GpuPredicate& predicate);

/// Reads the minimum memory: `40 GiB`, `>=40 GiB` or `8192 MiB`. Throws as above.
void read_memory(std::string_view text, fleet::GpuPredicate& predicate);

}  // namespace warptune::tuner::campaigns
