#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/fields.h"
#include "model/measurement.h"

namespace warptune::profiling::timing {

/// The result of the final rounds for one configuration.
struct FinalistTiming {
  /// The time in each round. Empty after a wrong result.
  std::vector<double> samples_ns;
  std::optional<model::Rejection> fault;  ///< Why its outputs were wrong in one of the rounds.
  /// The largest errors of floating-point outputs against the reference: `error_max_absolute` and so on. They
  /// are measured in the first launch on each set of inputs, and in each launch with other bits. All
  /// finalists have the same inputs. Empty when there are no such outputs.
  model::Counters errors{};
  /// What is known of the bits of the outputs (`model::outputs::output_bit_metrics`). Empty if no launch was
  /// right.
  model::Counters bits{};
};

/// The result of confirming a configuration. Each launch was verified, on inputs that no launch had seen
/// before.
struct Confirmation {
  /// `kMeasured` when the configuration is confirmed. Otherwise the status and the reason why it is not.
  model::Rejection verdict{model::Status::kMeasured, ""};
  std::uint64_t launches = 0;  ///< The number of launches with right outputs.
  /// How many of `launches` have outputs that differ in any bit from those of the first launch on the same
  /// inputs.
  std::uint64_t deviating = 0;
  /// The maximum difference of a result from the first one on the same inputs, in units of the tolerance (0
  /// to 2). It has no value when none differed or the difference is unknown.
  std::optional<double> deviation_of_tolerance;
  /// Whether the definition allows results to differ from launch to launch.
  bool is_nondeterministic = false;
  /// The largest errors of outputs against the reference, measured in the first launch and in the first
  /// deviating ones. Empty if there are no floating-point outputs or no reference.
  model::Counters errors{};

  bool has_passed() const { return verdict.status == model::Status::kMeasured; }
  /// Returns the probability, 0 to 1, that these launches reveal a kernel that is wrong in one of `n`
  /// launches.
  double chance_of_detection(double n) const;
};

template <model::MaybeConst<FinalistTiming> Object, class Visit>
void visit_fields(Object& timing, Visit&& visit) {
  visit("samples_ns", timing.samples_ns);
  visit("fault", timing.fault);
  visit("errors", timing.errors);
  visit("bits", timing.bits);
}

template <model::MaybeConst<Confirmation> Object, class Visit>
void visit_fields(Object& confirmation, Visit&& visit) {
  visit("verdict", confirmation.verdict);
  visit("launches", confirmation.launches);
  visit("deviating", confirmation.deviating);
  double deviation_of_tolerance = model::or_nan(confirmation.deviation_of_tolerance);
  visit("deviation_of_tolerance", deviation_of_tolerance);
  if constexpr (!std::is_const_v<Object>)
    confirmation.deviation_of_tolerance = model::from_nan(deviation_of_tolerance);
  visit("may_deviate", confirmation.is_nondeterministic);
  visit("errors", confirmation.errors);
}

}  // namespace warptune::profiling::timing
