// The times of kernels as a survey sees them: from CUPTI's activity records.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warptune::profiling::captures {

/// Runs `work`, which launches kernels and waits for them, and returns the durations of those called `kernel`
/// (mangled) in nanoseconds, in the order of their ends. The records of one call fit into 1 MiB: about 4000.
/// Only one thread of a process may call it. Throws `CuptiError` if CUPTI refuses to record.
std::vector<double> activity_times(const std::string& kernel, const std::function<void()>& work);

}  // namespace warptune::profiling::captures
