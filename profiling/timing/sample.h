#pragma once

namespace warptune::profiling::timing {

/// One timed launch.
struct Sample {
  double ns = 0.0;
  /// The mean of the clocks before and after, or 0 when the GPU's timer is too coarse.
  double sm_clock_mhz = 0.0;
  /// Whether the clock differed from the session's, and the launch was not repeated or differed each time.
  bool off_clock = false;
};

/// How often a launch is repeated at most if its clock differs from the session's.
inline constexpr int kMaxRepeats = 3;

/// Whether a timer repeats such a launch. A caller that must look at each launch repeats it itself.
enum class Repeat { kIfOffClock, kNever };

}  // namespace warptune::profiling::timing
