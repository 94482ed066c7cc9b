#include "survey/injected/nested_launches.h"

namespace warptune::survey::injected {

namespace {

bool is_within(const NestedLaunches::Call& inner, const NestedLaunches::Call& outer) {
  return inner.thread == outer.thread && inner.start >= outer.start && inner.end <= outer.end;
}

}  // namespace

bool NestedLaunches::has(const Correlations& correlations, std::uint32_t wanted) {
  return wanted != 0 && correlations[wanted % correlations.size()] == wanted;
}

void NestedLaunches::add(Correlations& correlations, std::uint32_t correlation) {
  correlations[correlation % correlations.size()] = correlation;
}

// A record of the inner call comes first or second, as CUPTI likes.
void NestedLaunches::add_driver_call(const Call& call) {
  if (linked_ < kEnough) {
    add(driver_correlations_, call.correlation);
    if (has(kernel_correlations_, call.correlation)) ++linked_;
  }
  if (runtime_evidence_ != nullptr && is_within(call, runtime_)) {
    ++runtime_evidence_->nested;
    runtime_evidence_ = nullptr;
  } else {
    driver_ = call;
  }
}

void NestedLaunches::add_runtime_call(const Call& call, LaunchEvidence& evidence) {
  ++evidence.launches;
  if (is_within(driver_, call)) {
    ++evidence.nested;
    driver_ = {};
  } else {
    runtime_ = call;
    runtime_evidence_ = &evidence;
  }
}

void NestedLaunches::add_kernel(std::uint32_t correlation) {
  if (linked_ >= kEnough) return;
  add(kernel_correlations_, correlation);
  if (has(driver_correlations_, correlation)) ++linked_;
}

// Some pairs are not seen as such, because another thread's records are between their two.
bool NestedLaunches::is_superfluous(const LaunchEvidence& evidence) const {
  const std::uint32_t alone = evidence.launches - evidence.nested;
  return linked_ >= kEnough && evidence.launches >= kEnough && alone <= evidence.launches / kEnough;
}

}  // namespace warptune::survey::injected
