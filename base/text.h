#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// Up to three of `known` nearest to `wanted` by edit distance, nearest first; none that shares nothing with
/// it.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known);

/// ` (did you mean a, b?)`, or empty: appended to messages about unknown names.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

/// A time for people with three digits and a unit: `12.3 us`, `4.59 ms`, `1.20 s`.
std::string format_time_ns(double time_ns);

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// What stands before the first line break; a view into `text`.
std::string_view first_line(std::string_view text);
/// With the letters A to Z as small ones; other bytes stay.
std::string lower_case(std::string text);
/// Whether `name` is one of `names`.
bool contains(std::span<const std::string> names, std::string_view name);

}  // namespace warptune::base
