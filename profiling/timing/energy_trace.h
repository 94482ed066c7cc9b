#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warptune::profiling::timing {

/// A tick: a moment at which an energy counter was updated.
struct EnergyTick {
  /// The middle between the polls before and after the tick.
  double time_s = 0.0;
  double uncertainty_s = 0.0;  ///< Half of the time between these two polls.
  std::uint64_t energy_mj = 0;
};

/// The energy and the launches between two ticks of the counter.
struct EnergyWindow {
  double joules = 0.0;
  double seconds = 0.0;
  /// Not an integer when a tick was in the middle of a launch.
  double launches = 0.0;
  /// The relative error of `joules / launches`. It is the root of the sum of the squares of two
  /// parts. One is the uncertainty of the moments of both ticks. The other is half of the difference between
  /// the power of the window's two halves.
  double relative_error = 0.0;

  double watts() const { return joules / seconds; }
  double joules_per_launch() const { return joules / launches; }
};

/// Polls of an energy counter that is updated in ticks, and the launches that ended meanwhile.
///
/// Between two ticks the counter's difference is exactly the energy of that time. Between two polls it is
/// not. So a window begins at one tick and ends at another, and launches are counted between the same
/// moments.
class EnergyTrace {
 public:
  /// Adds a reading of the counter. Readings must be in the order of time.
  void poll(double time_s, std::uint64_t energy_mj);
  /// Records that `launches` launches in total had ended at `time_s`. Calls must be in the order of time.
  /// Between two calls, the GPU must have done the launches at a constant rate. The first call passes 0
  /// launches and the time at which the GPU began to work.
  void note_launches(double time_s, double launches);

  /// Whether there is a tick at least `min_seconds` after the first one.
  bool covers(double min_seconds) const;
  /// Returns the window from the first tick to the first one at least `min_seconds` later. Returns
  /// std::nullopt when `covers` is false, when the launches of that time are not all noted, or when none ran.
  std::optional<EnergyWindow> window(double min_seconds) const;

 private:
  struct Progress {
    double time_s = 0.0;
    double launches = 0.0;
  };

  std::optional<std::size_t> last_tick(double min_seconds) const;
  std::optional<double> launches_at(double time_s) const;
  double power_w(std::size_t from, std::size_t to) const;

  std::optional<EnergyTick> last_poll_;
  std::vector<EnergyTick> ticks_;
  std::vector<Progress> progress_;
};

}  // namespace warptune::profiling::timing
