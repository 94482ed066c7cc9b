#pragma once

#include <cstddef>
#include <vector>

namespace warptune::profiling::timing {

/// The SM clock of a session, from the readings of its samples. It is the median of the latest readings.
/// Therefore a lasting change (heat, a power cap) becomes the session's clock, and a short change is
/// recognised.
class ClockWatch {
 public:
  /// A reading that differs from the session's clock by more than `tolerance` (a share of it) is off the
  /// clock.
  explicit ClockWatch(double tolerance) : tolerance_(tolerance) {}

  /// Adds a reading in MHz. Ignores readings that are not positive.
  void note(double mhz);
  /// The session's clock, or 0 before the first reading.
  double session_mhz() const { return session_mhz_; }
  bool is_off(double mhz) const;

 private:
  static constexpr std::size_t kKept = 101;

  double tolerance_;
  double session_mhz_ = 0.0;
  std::vector<double> readings_;  ///< A ring of the latest.
  std::size_t next_ = 0;
};

}  // namespace warptune::profiling::timing
