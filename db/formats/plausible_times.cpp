#include "db/formats/plausible_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace warptune::db::formats {

namespace {

// What is wrong with the time of a measured row, or an empty text. The limits are far beyond what a launch
// takes. The median of a file may be rounded, or the mean of its samples, so it may lie a little outside of
// their range.
std::string implausible_time(const model::Measurement& measurement) {
  constexpr double kShortestNs = 1.0;
  constexpr double kLongestNs = 1e15;
  constexpr double kRounding = 0.01;
  const double median_ns = measurement.time->median_ns;
  if (median_ns < kShortestNs || median_ns > kLongestNs)
    return fmt::format("its recorded time is {} s, which is not between 1 ns and 1e6 s", median_ns * 1e-9);
  if (measurement.samples_ns.empty()) return "";
  const auto [low, high] = std::minmax_element(measurement.samples_ns.begin(), measurement.samples_ns.end());
  const bool is_finite = std::all_of(measurement.samples_ns.begin(), measurement.samples_ns.end(),
                                     [](double sample) { return std::isfinite(sample); });
  if (!is_finite || *low < 0.0) return "one of its samples is not a positive number";
  if (median_ns < *low * (1.0 - kRounding) || median_ns > *high * (1.0 + kRounding))
    return "its recorded time is outside of the range of its samples";
  return "";
}

}  // namespace

bool fail_if_implausible(model::Measurement& measurement) {
  if (measurement.status != model::Status::kMeasured) return false;
  std::string problem = implausible_time(measurement);
  if (problem.empty()) return false;
  measurement.status = model::Status::kLaunchFailed;
  measurement.reason = std::move(problem);
  measurement.time.reset();
  measurement.samples_ns.clear();
  return true;
}

}  // namespace warptune::db::formats
