#include "bench/vendor/fastest_call.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "model/measurement.h"

namespace warptune::bench::vendor {

namespace {

constexpr int kTrialRounds = 7;

}  // namespace

std::vector<Call> working_calls(const Workload& workload, const std::vector<Call>& calls) {
  std::vector<Call> working;
  std::string refused = "it offers no call";
  for (const Call& call : calls) {
    try {
      workload.runner().verify(call.launch);
      working.push_back(call);
    } catch (const base::MachineError& error) {
      if (workload.runner().context_lost()) throw;
      refused = error.what();
    }
  }
  if (working.empty()) throw base::MachineError("the library has no algorithm that runs: " + refused, "");
  return working;
}

Call fastest_call(const Workload& workload, const std::vector<Call>& calls) {
  const std::vector<Call> working = working_calls(workload, calls);
  std::vector<profiling::ExternalLaunch> launches;
  for (const Call& call : working) launches.push_back(call.launch);
  std::vector<double> medians_ns;
  for (const auto& timing : workload.runner().time_interleaved({}, launches, kTrialRounds))
    medians_ns.push_back(model::summarise(timing.samples_ns).value().median_ns);
  const auto best = std::min_element(medians_ns.begin(), medians_ns.end()) - medians_ns.begin();
  return working[static_cast<std::size_t>(best)];
}

}  // namespace warptune::bench::vendor
