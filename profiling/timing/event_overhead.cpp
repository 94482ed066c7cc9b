#include "profiling/timing/event_overhead.h"

#include <algorithm>
#include <utility>

#include "model/median.h"

namespace warptune::profiling::timing {

namespace {

constexpr double kMaxOverheadNs = 10000.0;
// Samples on a GPU that nobody else uses differ by 50 ns on an H200, and by up to one step of the timer.
constexpr double kMaxSpreadNs = 300.0;
constexpr std::ptrdiff_t kEnoughNearShortest = 8;

double near_shortest(const std::vector<double>& excess_ns, double timer_step_ns) {
  return *std::min_element(excess_ns.begin(), excess_ns.end()) + kMaxSpreadNs + timer_step_ns;
}

}  // namespace

bool is_overhead_certain(const std::vector<double>& excess_ns, double timer_step_ns) {
  if (excess_ns.empty()) return false;
  const double limit = near_shortest(excess_ns, timer_step_ns);
  return limit <= kMaxOverheadNs && std::count_if(excess_ns.begin(), excess_ns.end(), [&](double one) {
                                      return one <= limit;
                                    }) >= kEnoughNearShortest;
}

double event_overhead_ns(std::vector<double> excess_ns, double timer_step_ns) {
  const double limit = near_shortest(excess_ns, timer_step_ns);
  std::erase_if(excess_ns, [&](double one) { return one > limit; });
  return std::clamp(*model::median_of(std::move(excess_ns)), 0.0, kMaxOverheadNs);
}

}  // namespace warptune::profiling::timing
