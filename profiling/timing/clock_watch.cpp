#include "profiling/timing/clock_watch.h"

#include <algorithm>
#include <cmath>

namespace warptune::profiling::timing {

void ClockWatch::note(double mhz) {
  if (!(mhz > 0.0)) return;
  if (readings_.size() < kKept) {
    readings_.push_back(mhz);
  } else {
    readings_[next_] = mhz;
    next_ = (next_ + 1) % kKept;
  }
  std::vector<double> sorted = readings_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  session_mhz_ = *middle;
}

bool ClockWatch::is_off(double mhz) const {
  return mhz > 0.0 && session_mhz_ > 0.0 && std::abs(mhz / session_mhz_ - 1.0) > tolerance_;
}

}  // namespace warptune::profiling::timing
