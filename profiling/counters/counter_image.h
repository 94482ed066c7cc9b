#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/counters/metric_planner.h"
#include "profiling/counters/planned_counting.h"

namespace warptune::profiling::counters {

/// The counters of one range of a session.
struct RangeCounts {
  std::size_t range = 0;     ///< The number that was given to `push`. It is 0 for a range that CUPTI named.
  model::Counters counters;  ///< The counters that were asked for.
  /// The length of the range on the GPU. Unknown when counting it would have taken another pass.
  std::optional<double> duration_ns;
};

/// Returns `metrics` with `kDurationMetric` added, if it is not one of them and takes no further pass.
/// All metrics must be known to the chip. Throws `CuptiError`.
std::vector<std::string> with_free_duration(const std::string& chip, std::vector<std::string> metrics);

/// Evaluates a counter data image of CUPTI: the ranges of a session. `metrics` are those of the session, and
/// `host` belongs to its chip. It needs no GPU. The image may come from another process. Throws `CuptiError`.
std::vector<RangeCounts> evaluate_image(const ProfilerHost& host, const std::vector<std::string>& metrics,
                                        const std::vector<std::uint8_t>& image);

/// Multiplies shares and rates of a range's time so that they refer to the launch's own time. On an H200 a
/// range is about 10 to 25 us longer than its launch. Ratios to the cycles in which an SM worked need no
/// conversion. Nothing changes if the launch's time is unknown, or not shorter.
void scale_to_launch_time(model::Counters& counters, double range_ns, std::optional<double> launch_ns);

}  // namespace warptune::profiling::counters
