// What a measurement holds, as text for people: its time, its share of the roof, its counters, its date.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/measurement.h"

namespace warptune::tuner::text_output {

/// Dropped for its time: only what it is slower than is known.
bool is_dropped(const model::Measurement& measurement);

/// What falls as the time grows, `of_1_ns` at 1 ns; `< 40.1` of one that was dropped.
std::string rate_text(const model::Measurement& measurement, const char* unit, int digits, double of_1_ns);

/// A value of a part of an objective: `12.3 us` for `time`, `0.53 J`, `412 W`, else a number.
std::string objective_value_text(std::string_view part, double value);

/// `12.3 us (12.2 us to 12.4 us)`: the median with its 95 % interval.
std::string time_with_interval(const model::TimeSummary& time);

/// The median for people; `> 512 us` for one that was dropped as slower.
std::string time_text(const model::Measurement& measurement);
/// Its 95 % interval, `123 us to 125 us`; empty for one that was dropped.
std::string interval_text(const model::Measurement& measurement);

/// Per cent of the roof, `87.3 %`; `< 40.1 %` for one that was dropped; empty where `roof_ns`
/// (`model::roof_time_ns`) is 0.
std::string roof_share_text(const model::Measurement& measurement, double roof_ns);
/// `of the memory roof`: which one binds.
std::string roof_heading(const model::Work& work, const model::Roofs& roofs);

/// `2025-01-31 12:00:00 UTC`.
std::string date_text(std::int64_t unix_ms);

/// A counter for people: `87.3 %`, `1.07 GB`, `3.2`.
std::string format_counter(std::string_view unit, double value);

}  // namespace warptune::tuner::text_output
