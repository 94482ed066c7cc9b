#include "profiling/verification/output_bits.h"

#include "model/own_metrics.h"

namespace warptune::profiling::verification {

namespace {

// Counters are doubles, which hold integers of 53 bits.
double digest_of(std::uint64_t checksum) { return static_cast<double>(checksum >> 11U); }

}  // namespace

bool OutputBits::note(std::uint64_t inputs, std::uint64_t outputs, bool are_first_inputs) {
  const auto [first, is_first] = first_.emplace(inputs, outputs);
  if (are_first_inputs && !on_first_inputs_) on_first_inputs_ = Bits{inputs, outputs};
  if (is_first) return true;
  ++compared_;
  if (first->second == outputs) return false;
  ++differing_;
  return ++differing_by_inputs_[inputs] <= kMaxMeasured;
}

model::Counters OutputBits::counters() const {
  if (first_.empty()) return {};
  model::Counters counters = {{model::own_metric::kComparedLaunches, static_cast<double>(compared_)},
                              {model::own_metric::kDifferingLaunches, static_cast<double>(differing_)}};
  if (on_first_inputs_) {
    counters[model::own_metric::kInputDigest] = digest_of(on_first_inputs_->inputs);
    counters[model::own_metric::kOutputDigest] = digest_of(on_first_inputs_->outputs);
  }
  return counters;
}

}  // namespace warptune::profiling::verification
