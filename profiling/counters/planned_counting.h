#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::profiling::counters {

/// The metric that is the length of a counted range, in nanoseconds.
inline constexpr const char* kDurationMetric = "gpu__time_duration.sum";

/// What another process needs to count on a chip: the metrics in their order, and CUPTI's configuration
/// image.
struct CountingConfig {
  std::string chip;
  std::vector<std::string> metrics;
  std::vector<std::uint8_t> image;
  std::size_t passes = 0;
  std::vector<std::string> warnings;  ///< What was left out, and why, for people.
};

/// Returns the names of the chips that CUPTI's host library knows. Throws `base::MachineError` if CUPTI is
/// missing.
std::vector<std::string> countable_chips();

/// Plans the counting of `asked`, or of the core set if it is empty. The metrics of the result include the
/// duration if that takes no further pass. They are empty if the chip has none of those that were asked for.
/// It needs no GPU. Throws `base::InputError` for an unknown chip, and `base::MachineError` if CUPTI fails.
CountingConfig counting_config(const std::string& chip, const std::vector<std::string>& asked);

/// Returns the counters of each range of a counter data image that another process made with this
/// configuration. It needs no GPU. Throws `base::MachineError` if CUPTI does not accept the image.
std::vector<model::Counters> counters_of(const CountingConfig& config,
                                         const std::vector<std::uint8_t>& image);

/// Converts the counters of a range to those of a launch that takes `launch_ns`, if that is known. Shares of
/// elapsed time are scaled. They are removed if the range is so long that it was disturbed. Then the derived
/// metrics are added.
void complete_counters(model::Counters& counters, std::optional<double> launch_ns);

}  // namespace warptune::profiling::counters
