#pragma once

#include <cstddef>
#include <vector>

#include "profiling/timing/finalist_timing.h"

namespace warptune::profiling::verification {

/// One finalist that is much farther from the reference than the others, though within the tolerance.
struct ImpreciseFinalist {
  std::size_t index = 0;      ///< Among the finalists.
  double error = 0.0;         ///< Its largest |x - r|.
  double median_error = 0.0;  ///< The median of the others' largest.
};

/// Those whose largest absolute error is at least ten times the median of the others', and whose results are
/// more than one rounding of the output's type (one representable value) off. Finalists without errors take
/// no part.
std::vector<ImpreciseFinalist> imprecise_finalists(const std::vector<timing::FinalistTiming>& finalists);

}  // namespace warptune::profiling::verification
