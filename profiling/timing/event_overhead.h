#pragma once

#include <vector>

namespace warptune::profiling::timing {

/// What an event pair reads more than the launch between its events takes, in ns. `excess_ns` has what each
/// pair read beyond a launch of known time; at least one. `timer_step_ns` is the resolution of the timer that
/// the launch was made with. Another process on the GPU makes some samples longer, by up to a time slice of
/// milliseconds, and none shorter. Therefore this is the median of the samples that are near the shortest.
/// The result is between 0 and 10 us.
double event_overhead_ns(std::vector<double> excess_ns, double timer_step_ns);

}  // namespace warptune::profiling::timing
