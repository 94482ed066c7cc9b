// Computes the energy per launch from an energy counter that is updated in ticks.
//
// The counter is exact at the moment of a tick. Between two ticks its reading is old by an unknown time, at
// most the time between ticks (0.1 s on an H200). So the window begins and ends with a tick. The first poll
// after a tick sees it. Its time is taken as the middle between that poll and the one before, with half of
// the time between these polls as the uncertainty.
//
// The GPU works through queued launches evenly, and the moments at which groups of them ended are known.
// Linear interpolation between these moments gives the launches at the two ends of the window. They need not
// be integers.
//
// The error has two parts. One is the uncertainty of both ends, divided by the length of the window. The
// other is half of the relative difference between the power of the window's two halves, which is zero if the
// power is constant. The parts are independent, so the square of the error is the sum of their squares.
#include "profiling/timing/energy_trace.h"

#include <algorithm>
#include <cmath>

namespace warptune::profiling::timing {

void EnergyTrace::poll(double time_s, std::uint64_t energy_mj) {
  if (last_poll_ && energy_mj != last_poll_->energy_mj) {
    ticks_.push_back({0.5 * (last_poll_->time_s + time_s), 0.5 * (time_s - last_poll_->time_s), energy_mj});
  }
  last_poll_ = EnergyTick{time_s, 0.0, energy_mj};
}

void EnergyTrace::note_launches(double time_s, double launches) { progress_.push_back({time_s, launches}); }

bool EnergyTrace::covers(double min_seconds) const { return last_tick(min_seconds).has_value(); }

std::optional<std::size_t> EnergyTrace::last_tick(double min_seconds) const {
  for (std::size_t i = 1; i < ticks_.size(); ++i) {
    if (ticks_[i].time_s - ticks_.front().time_s >= min_seconds) return i;
  }
  return std::nullopt;
}

std::optional<double> EnergyTrace::launches_at(double time_s) const {
  const auto after =
      std::lower_bound(progress_.begin(), progress_.end(), time_s,
                       [](const Progress& progress, double time) { return progress.time_s < time; });
  if (after == progress_.end()) return std::nullopt;
  if (after == progress_.begin()) {
    if (after->time_s > time_s) return std::nullopt;
    return after->launches;
  }
  const Progress& before = *(after - 1);
  const double share = (time_s - before.time_s) / (after->time_s - before.time_s);
  return before.launches + share * (after->launches - before.launches);
}

double EnergyTrace::power_w(std::size_t from, std::size_t to) const {
  return static_cast<double>(ticks_[to].energy_mj - ticks_[from].energy_mj) * 1e-3 /
         (ticks_[to].time_s - ticks_[from].time_s);
}

std::optional<EnergyWindow> EnergyTrace::window(double min_seconds) const {
  const auto last = last_tick(min_seconds);
  if (!last) return std::nullopt;
  const EnergyTick& begin = ticks_.front();
  const EnergyTick& end = ticks_[*last];
  const auto launches_before = launches_at(begin.time_s);
  const auto launches_after = launches_at(end.time_s);
  if (!launches_before || !launches_after || *launches_after <= *launches_before) return std::nullopt;
  EnergyWindow window;
  window.joules = static_cast<double>(end.energy_mj - begin.energy_mj) * 1e-3;
  window.seconds = end.time_s - begin.time_s;
  window.launches = *launches_after - *launches_before;
  const double tick_error = (begin.uncertainty_s + end.uncertainty_s) / window.seconds;
  double power_error = 0.0;
  if (*last >= 2) {
    const double middle_s = 0.5 * (begin.time_s + end.time_s);
    std::size_t middle = 1;
    for (std::size_t i = 1; i < *last; ++i) {
      if (std::abs(ticks_[i].time_s - middle_s) < std::abs(ticks_[middle].time_s - middle_s)) middle = i;
    }
    power_error = 0.5 * std::abs(power_w(0, middle) - power_w(middle, *last)) / window.watts();
  }
  window.relative_error = std::sqrt(tick_error * tick_error + power_error * power_error);
  return window;
}

}  // namespace warptune::profiling::timing
