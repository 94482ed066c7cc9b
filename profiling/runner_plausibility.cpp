#include <algorithm>

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/runner_state.h"
#include "profiling/verification/plausibility.h"

// Computes how many bytes a launch must write, and whether its time suffices for them (docs/measuring.md,
// "Plausible").
namespace warptune::profiling {

// Computes the number of bytes that a launch must write: the bytes of all output elements that are wrong
// after they were poisoned. Must be called each time that the reference of a set of inputs is known. A launch
// may be counted on any set, so the minimum over the sets is used.
void KernelRunner::State::note_bytes_to_write() {
  check.prepare();
  const std::uint64_t bytes = check.wrong_bytes();
  bytes_to_write = bytes_to_write ? std::min(*bytes_to_write, bytes) : bytes;
}

// Adds the number of bytes to the counters that are stored, except in two cases. Counters do not see
// everything that a host program moves. Buffers in the host's memory do not pass the L2.
void KernelRunner::State::add_bytes_to_write(const Loaded& loaded, model::Measurement& measurement) const {
  if (bytes_to_write.value_or(0) == 0 || loaded.plan.is_host_program() || arguments.any_separate()) return;
  measurement.counters[model::own_metric::kBytesToWrite] = static_cast<double>(*bytes_to_write);
}

// Rejects the measurement if its time is too short to be plausible. Its counters come later, and are checked
// when they are stored.
void KernelRunner::State::judge_time(model::Measurement& measurement) const {
  const verification::PlausibilityCheck plausibility(instance.gpu(), options.cache, roofs, {});
  const auto verdict = plausibility.verdict(measurement);
  if (!verdict) return;
  measurement.status = verdict->status;
  measurement.reason = verdict->reason;
}

}  // namespace warptune::profiling
