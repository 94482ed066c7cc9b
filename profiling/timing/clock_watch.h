#pragma once

#include <cstddef>
#include <vector>

namespace warptune::profiling::timing {

/// The SM clock of a session: the median of the latest clock readings of its samples. Therefore a lasting
/// change (heat, a power cap) becomes the session's clock after some samples. A short change does not, so the
/// samples that were taken at another clock are found.
class ClockWatch {
 public:
  /// `tolerance` is the largest difference from the session's clock that is accepted, as a share of that
  /// clock (0.01 is 1 %).
  explicit ClockWatch(double tolerance) : tolerance_(tolerance) {}

  /// Adds a reading in MHz. Ignores readings that are not positive.
  void note(double mhz);
  /// The session's clock, or 0 before the first reading.
  double session_mhz() const { return session_mhz_; }
  /// Whether a reading differs from the session's clock by more than the tolerance. Returns false when the
  /// reading or the session's clock is unknown (not positive).
  bool is_off(double mhz) const;

 private:
  static constexpr std::size_t kKept = 101;

  double tolerance_;
  double session_mhz_ = 0.0;
  std::vector<double> readings_;  ///< A ring buffer of the latest readings.
  std::size_t next_ = 0;
};

}  // namespace warptune::profiling::timing
