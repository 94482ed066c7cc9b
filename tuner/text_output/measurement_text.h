// The values of a measurement as text for people: time, share of the roof, counters, date.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/measurement.h"

namespace warptune::tuner::text_output {

/// Whether the measurement was dropped as too slow. Then only a lower bound of its time is known.
bool is_dropped(const model::Measurement& measurement);

/// `rate_at_1_ns` divided by the time in ns, with `digits` digits after the point: `43.2 %`. For a dropped
/// measurement it is an upper bound: `< 40.1`. It is `-` if the time or the bound is unknown.
std::string rate_text(const model::Measurement& measurement, const char* unit, int digits,
                      double rate_at_1_ns);
/// What a launch does per second, with three significant digits and a unit prefix: `3.36 TB/s`. `amount` is
/// what it does in one launch. For a dropped row it is a bound: `< 1 TB/s`. It is `-` if that is unknown.
std::string throughput_text(const model::Measurement& measurement, const char* unit, double amount);

/// The unit of one part of an objective: `ns`, `J`, `W`, `MHz`, a metric's unit, or empty for an expression.
std::string_view objective_unit(std::string_view part);
/// A value of one part of an objective: `12.3 us` for `time`, `0.53 J`, `412 W`, or a number without a unit.
std::string objective_value_text(std::string_view part, double value);

/// `12.3 us (12.2 us to 12.4 us)`: the median with its 95 % interval; `-` if there is none.
std::string time_with_interval(const std::optional<model::TimeSummary>& time);

/// The median; `> 512 us` for a dropped measurement.
std::string time_text(const model::Measurement& measurement);
/// The 95 % interval of the median, `123 us to 125 us`; empty for a dropped measurement.
std::string interval_text(const model::Measurement& measurement);

/// The share of the roof, `87.3 %`; `< 40.1 %` for a dropped measurement. `roof_ns` comes from
/// `model::roof_time_ns`.
std::string roof_share_text(const model::Measurement& measurement, double roof_ns);
/// The heading of a column with shares of the roof that limits the work: `of the memory roof`.
std::string roof_heading(const model::Work& work, const model::Roofs& roofs);

/// A date and time, `2025-01-31 12:00:00 UTC`, from milliseconds since 1970.
std::string date_text(std::int64_t unix_ms);

/// A length of time, rounded for people: `45 s`, `12 min`, `1 h 5 min`.
std::string time_span_text(double seconds);

/// The value of a counter with its unit: `87.3 %`, `1.07 GB`, `3.2`.
std::string format_counter(std::string_view unit, double value);

}  // namespace warptune::tuner::text_output
