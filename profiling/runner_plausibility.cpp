#include <algorithm>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/runner_state.h"
#include "profiling/verification/plausibility.h"

// What a launch must write, and what it cannot do with less (docs/measuring.md, "Plausible").
namespace warptune::profiling {

// To be called when the reference of a set of inputs is known; which set a launch is counted on is not, so
// the least of them counts. An output that the reference leaves alone need not be written.
void KernelRunner::State::note_bytes_to_write() {
  check.prepare();
  const std::uint64_t bytes = check.bytes_not_right();
  bytes_to_write = bytes_to_write ? std::min(*bytes_to_write, bytes) : bytes;
}

// Counters do not see all that a host program moves, and the L2 is not asked for what lies on the host.
void KernelRunner::State::add_bytes_to_write(const Loaded& loaded, model::Measurement& measurement) const {
  if (bytes_to_write.value_or(0) == 0 || loaded.plan.is_host_program() || arguments.any_on_host()) return;
  measurement.counters[model::own_metric::kBytesToWrite] = static_cast<double>(*bytes_to_write);
}

// Its counters come later: they are judged by whoever stores them.
void KernelRunner::State::judge_time(model::Measurement& measurement) const {
  const verification::PlausibilityCheck plausibility(instance.gpu(), options.cache, roofs, {});
  const auto verdict = plausibility.verdict(measurement);
  if (!verdict) return;
  measurement.status = verdict->status;
  measurement.reason = verdict->reason;
}

}  // namespace warptune::profiling
