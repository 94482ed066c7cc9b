#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warptune::profiling::timing {

/// A moment at which an energy counter was seen to have moved.
struct EnergyTick {
  double time_s = 0.0;         ///< Half way between the polls before and after it moved.
  double uncertainty_s = 0.0;  ///< Half of the time between those polls.
  std::uint64_t energy_mj = 0;
};

/// Energy and launches between two ticks of the counter.
struct EnergyWindow {
  double joules = 0.0;
  double seconds = 0.0;
  double launches = 0.0;  ///< Broken where a tick fell into one.
  /// What the ticks' moments leave open, and by how much the two halves' power differs from the whole's;
  /// added as squares. Of `joules / launches`.
  double relative_error = 0.0;

  double watts() const { return joules / seconds; }
  double joules_per_launch() const { return joules / launches; }
};

/// Polls of an energy counter that moves in ticks, beside the launches that ended meanwhile.
///
/// Between two ticks the counter's difference is the energy of just that time; between two polls it is not.
/// So a window begins at one tick and ends at another, and launches are counted between the same moments.
class EnergyTrace {
 public:
  /// In the order of time, from the first call on.
  void poll(double time_s, std::uint64_t energy_mj);
  /// `launches` in all had ended at `time_s`; in the order of time. The GPU worked through them evenly since
  /// the last such moment (the first: from when it began with 0).
  void note_launches(double time_s, double launches);

  /// Whether there is a tick at least `min_seconds` after the first.
  bool covers(double min_seconds) const;
  /// From the first tick to the first one at least `min_seconds` later; none where `covers` is false, the
  /// launches of that time are not all noted, or none ran.
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
