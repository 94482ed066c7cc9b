#pragma once

#include <vector>

namespace warptune::profiling::timing {

/// Returns the overhead of an event pair in ns: the time that it measures minus the time of the launch
/// between its events. `excess_ns` has this difference for launches of known time, at least for one.
/// `timer_step_ns` is the step of the GPU's timer by which these launches were made. Another process on the
/// GPU makes some samples longer, by up to a time slice of milliseconds, and none shorter. Therefore the
/// result is the median of the samples that are near the shortest. It is between 0 and 10 us.
double event_overhead_ns(std::vector<double> excess_ns, double timer_step_ns);

/// Whether so many samples are near the shortest that no other process has disturbed these. With fewer, all
/// samples may be too long, and more are needed, some milliseconds later. Parameters as above.
bool is_overhead_certain(const std::vector<double>& excess_ns, double timer_step_ns);

}  // namespace warptune::profiling::timing
