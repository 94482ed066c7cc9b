#include "profiling/timing/event_overhead.h"

#include <algorithm>
#include <utility>

#include "model/median.h"

namespace warptune::profiling::timing {

namespace {

constexpr double kMaxOverheadNs = 10000.0;
// Samples on a GPU that nobody else uses differ by 50 ns on an H200, and by up to one step of the timer.
constexpr double kMaxSpreadNs = 300.0;

}  // namespace

double event_overhead_ns(std::vector<double> excess_ns, double timer_step_ns) {
  const double limit = *std::min_element(excess_ns.begin(), excess_ns.end()) + kMaxSpreadNs + timer_step_ns;
  std::erase_if(excess_ns, [&](double one) { return one > limit; });
  return std::clamp(model::median_of(std::move(excess_ns)), 0.0, kMaxOverheadNs);
}

}  // namespace warptune::profiling::timing
