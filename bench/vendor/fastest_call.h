#pragma once

#include <vector>

#include "bench/vendor/reference.h"

namespace warptune::bench::vendor {

/// The calls that run, among alternatives that a library offers. Throws `base::MachineError` with the last
/// call's error if no call runs.
std::vector<Call> working_calls(const Workload& workload, const std::vector<Call>& calls);

/// The fastest of the calls that run, by a few interleaved launches. Throws as `working_calls` does.
Call fastest_call(const Workload& workload, const std::vector<Call>& calls);

}  // namespace warptune::bench::vendor
