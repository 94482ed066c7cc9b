#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "profiling/counters/metric_planner.h"

namespace warptune::profiling::counters {

/// The metric that is the length of a counted range, in nanoseconds.
inline constexpr const char* kDurationMetric = "gpu__time_duration.sum";

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
/// `host` is of its chip. It needs no GPU. The image may come from another process. Throws `CuptiError`.
std::vector<RangeCounts> evaluate_image(const ProfilerHost& host, const std::vector<std::string>& metrics,
                                        const std::vector<std::uint8_t>& image);

/// What another process needs to count on a chip: the metrics in their order, and CUPTI's configuration image.
struct CountingConfig {
  std::string chip;
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  std::size_t passes = 0;
  std::vector<std::string> warnings;  ///< As those of `MetricChoice`.
};

/// Plans the counting of `asked`, or of the core set if it is empty. The metrics of the result include the
/// duration if that takes no further pass. They are empty if the chip has none of those that were asked for.
/// Throws like `ProfilerHost`.
CountingConfig counting_config(const std::string& chip, const std::vector<std::string>& asked);

/// Multiplies shares and rates of a range's time so that they refer to the launch's own time. On an H200 a
/// range is about 10 to 25 us longer than its launch. Ratios to the cycles in which an SM worked need no
/// conversion. Nothing changes if the launch's time is unknown, or not shorter.
void scale_to_launch_time(model::Counters& counters, double range_ns, std::optional<double> launch_ns);

}  // namespace warptune::profiling::counters
