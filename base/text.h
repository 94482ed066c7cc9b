#pragma once

#include <cstddef>
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

/// The bytes of the first character of `text`, or 0 where it must not reach a terminal: a control character
/// other than newline and tab (U+0000 to U+001F, U+007F to U+009F), one that ends lines or changes the
/// direction of text (U+2028 to U+202E, U+2066 to U+2069), U+FFFE, U+FFFF, or a byte that is no UTF-8.
std::size_t printable_size(std::string_view text);

/// Text that came from elsewhere, as it may reach a terminal: each character that must not is written as
/// `\u001b` (what JSON means by it is the same character), a byte that is no UTF-8 as `\xff`. Line breaks of
/// two characters become newlines. Text that is printable stays as it is, so that twice is as once.
std::string printable(std::string_view text);

/// The same on one line: newlines and tabs are written as `\n` and `\t`.
std::string printable_line(std::string_view text);

}  // namespace warptune::base
