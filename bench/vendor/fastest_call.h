#pragma once

#include <vector>

#include "bench/vendor/reference.h"

namespace warptune::bench::vendor {

/// Of ways to do the same that a library offers, those that run. Throws what the last refused when none does.
std::vector<Call> working_calls(const Workload& workload, const std::vector<Call>& calls);

/// The fastest of those that run, by a few interleaved launches.
Call fastest_call(const Workload& workload, const std::vector<Call>& calls);

}  // namespace warptune::bench::vendor
