#pragma once

#include <cstddef>
#include <vector>

namespace warptune::profiling::timing {

/// The SM clock that a session runs at, from what each sample saw: the median of the latest readings, so that
/// a lasting change (heat, a power cap) becomes the session's clock and a passing one stands out.
class ClockWatch {
 public:
  /// Readings further off than `tolerance` (a share) from the session's clock are off it.
  explicit ClockWatch(double tolerance) : tolerance_(tolerance) {}

  /// A reading in MHz; none when it is not positive.
  void note(double mhz);
  /// 0 before the first reading.
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
