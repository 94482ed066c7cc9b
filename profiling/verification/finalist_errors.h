#pragma once

#include <cstddef>
#include <vector>

#include "profiling/timing/finalist_timing.h"

namespace warptune::profiling::verification {

/// A finalist whose error is much larger than those of the others, although it is within the tolerance.
struct ImpreciseFinalist {
  std::size_t index = 0;      ///< The index among the finalists.
  double error = 0.0;         ///< The finalist's largest |x - r|: x is an output element, r its reference.
  double median_error = 0.0;  ///< The median of the others' largest errors.
};

/// Returns the finalists for which two things are true:
/// * Their largest absolute error is at least ten times the median of the other finalists' largest errors.
/// * Their largest error is more than one ulp of the output's type.
///
/// Finalists whose errors were not measured, or whose launches failed, are not considered.
std::vector<ImpreciseFinalist> imprecise_finalists(const std::vector<timing::FinalistTiming>& finalists);

/// Replaces each error in `errors` by the one in `more` if that is larger or not a number.
void keep_largest_errors(model::Counters& errors, const model::Counters& more);

}  // namespace warptune::profiling::verification
