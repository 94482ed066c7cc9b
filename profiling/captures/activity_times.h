// The times of kernels as a survey sees them: from CUPTI's activity records.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace warptune::profiling::captures {

/// Runs `work`, which launches kernels and waits for them, and returns the durations of those called `kernel`
/// (mangled) in nanoseconds, in the order of their ends. `work` should launch
/// at most about 4000 kernels, so that all records fit into one buffer of 1 MiB. Only one thread of a process
/// may call this function at a time. Throws `CuptiError` if CUPTI refuses to record.
std::vector<double> activity_times(const std::string& kernel, const std::function<void()>& work);

}  // namespace warptune::profiling::captures
