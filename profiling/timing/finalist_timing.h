#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "model/fields.h"
#include "model/measurement.h"

namespace warptune::profiling::timing {

/// What final rounds said of one configuration.
struct FinalistTiming {
  std::vector<double> samples_ns;         ///< One a round; none from where it was wrong.
  std::optional<model::Rejection> fault;  ///< Why its outputs were wrong in one of the rounds.
  /// How far outputs of floating type were from the reference in one launch, on the same inputs for all:
  /// `error_max_absolute` and so on. Empty where there are none.
  model::Counters errors{};
};

/// How a configuration stood up to launches of which each was verified, on inputs that no launch had seen.
struct Confirmation {
  /// `kMeasured` where it is what it seemed; else why it is not.
  model::Rejection verdict{model::Status::kMeasured, ""};
  std::uint64_t launches = 0;  ///< That were right.
  /// Of `launches`: their outputs had other bits than those of the first launch on the same inputs.
  std::uint64_t deviating = 0;
  /// How far a result was from the first one on the same inputs, at most, in units of the tolerance (0 to 2);
  /// NaN: none differed, or it is not known.
  double deviation_of_tolerance = std::numeric_limits<double>::quiet_NaN();
  /// The definition says that results may differ from launch to launch.
  bool may_deviate = false;

  bool stands() const { return verdict.status == model::Status::kMeasured; }
  /// The chance, 0 to 1, that a kernel which is wrong in one of `n` launches would have been found out.
  double chance_of_detection(double n) const;
};

template <model::MaybeConst<FinalistTiming> Object, class Visit>
void visit_fields(Object& timing, Visit&& visit) {
  visit("samples_ns", timing.samples_ns);
  visit("fault", timing.fault);
  visit("errors", timing.errors);
}

template <model::MaybeConst<Confirmation> Object, class Visit>
void visit_fields(Object& confirmation, Visit&& visit) {
  visit("verdict", confirmation.verdict);
  visit("launches", confirmation.launches);
  visit("deviating", confirmation.deviating);
  visit("deviation_of_tolerance", confirmation.deviation_of_tolerance);
  visit("may_deviate", confirmation.may_deviate);
}

}  // namespace warptune::profiling::timing
