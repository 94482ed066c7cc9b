#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "profiling/measuring_options.h"

namespace warptune::tuner::evaluation {

/// How long one evaluation may take before it counts as timed out.
struct EvaluationLimit {
  std::chrono::milliseconds maximum{30000};  ///< Used before anything was measured, and for slow kernels.
  /// Set by the user. It is the limit of every evaluation, independent of the best time.
  std::optional<std::chrono::milliseconds> asked{};

  /// The limit if the best median is `best_ns` (0: none): half a second plus 1500 times the best, at most
  /// `maximum`. A good candidate is launched a few dozen times, and a bad candidate only a few times. So a
  /// candidate reaches the limit only if it hangs or is a hundred times slower than the best. Energy and
  /// counters with several passes extend the limit.
  std::chrono::milliseconds of(double best_ns, const profiling::MeasuringOptions& measuring) const;

  /// The limit of one launch in the final rounds or in a confirmation, including the work before the next
  /// launch. `slowest_ns` is the time of the slowest finalist, which may be a default that is much
  /// slower than the best; 0: unknown.
  std::chrono::milliseconds of_final_launch(double best_ns, double slowest_ns) const;
};

/// The limit that a user asked for in seconds. `given` is what the user wrote, such as "--timeout 5". Throws
/// `base::InputError`, with `given` in it, unless the limit is a time from a tenth of a second to a day.
std::chrono::milliseconds asked_limit(double seconds, const std::string& given);

}  // namespace warptune::tuner::evaluation
