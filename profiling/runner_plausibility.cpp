#include <algorithm>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/runner_state.h"
#include "profiling/verification/plausibility.h"

// Computes what a launch must write, and judges times by it (docs/measuring.md, "Plausible").
namespace warptune::profiling {

// Computes the number of bytes that a launch must write. An output that the reference does not write need not
// be written. To be called when the reference of a set of inputs is known. It is not known on which set a
// launch will be counted, so the minimum of the sets is used.
void KernelRunner::State::note_bytes_to_write() {
  check.prepare();
  const std::uint64_t bytes = check.wrong_bytes();
  bytes_to_write = bytes_to_write ? std::min(*bytes_to_write, bytes) : bytes;
}

// Adds the bytes to the counters that are stored. Counters do not see everything that a host program moves,
// and the L2 does not hold data of the host's memory. Then the number is left out.
void KernelRunner::State::add_bytes_to_write(const Loaded& loaded, model::Measurement& measurement) const {
  if (bytes_to_write.value_or(0) == 0 || loaded.plan.is_host_program() || arguments.any_on_host()) return;
  measurement.counters[model::own_metric::kBytesToWrite] = static_cast<double>(*bytes_to_write);
}

// Judges the time. The counters arrive later, and are judged where they are stored.
void KernelRunner::State::judge_time(model::Measurement& measurement) const {
  const verification::PlausibilityCheck plausibility(instance.gpu(), options.cache, roofs, {});
  const auto verdict = plausibility.verdict(measurement);
  if (!verdict) return;
  measurement.status = verdict->status;
  measurement.reason = verdict->reason;
}

}  // namespace warptune::profiling
