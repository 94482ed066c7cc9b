#pragma once

#include <cstddef>
#include <vector>

#include "profiling/timing/finalist_timing.h"

namespace warptune::profiling::verification {

/// A finalist whose error is much larger than those of the others, although it is within the tolerance.
struct ImpreciseFinalist {
  std::size_t index = 0;      ///< The index among the finalists.
  double error = 0.0;         ///< Its largest |x - r|.
  double median_error = 0.0;  ///< The median of the others' largest errors.
};

/// Returns the finalists with two properties. Their largest absolute error is at least ten times the median
/// of the others'. And their results differ from the reference by more than one rounding of the output's type
/// (one representable value). Finalists without errors are not considered.
std::vector<ImpreciseFinalist> imprecise_finalists(const std::vector<timing::FinalistTiming>& finalists);

}  // namespace warptune::profiling::verification
