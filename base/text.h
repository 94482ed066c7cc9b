#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::base {

/// Returns up to three of `known` that are nearest to `wanted` by edit distance, the nearest first. A name
/// that has nothing in common with `wanted` is left out.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known);

/// Returns ` (did you mean a, b?)` or an empty text. It is appended to messages about unknown names.
std::string did_you_mean(std::string_view wanted, std::span<const std::string> known);

/// A time for people, with three digits and a unit: `12.3 us`, `4.59 ms`, `1.20 s`.
std::string format_time_ns(double time_ns);
/// The same; `-` for an unknown time.
std::string format_time_ns(const std::optional<double>& time_ns);

/// A number with its noun, which is in the plural unless the number is 1: `1 row`, `0 rows`. The plural ends
/// in an s if `several` is empty.
std::string counted(std::uint64_t number, std::string_view one, std::string_view several = {});

std::vector<std::string> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
/// The text before the first line break, as a view into `text`.
std::string_view first_line(std::string_view text);
/// Converts the letters A to Z to lower case and keeps all other bytes.
std::string lower_case(std::string text);
/// `text` as one word of a shell command, in single quotes if it has characters that a shell interprets.
std::string shell_word(const std::string& text);
/// Returns whether `name` is one of `names`.
bool contains(std::span<const std::string> names, std::string_view name);

/// Returns the size in bytes of the first character of `text`, or 0 when that character must not reach a
/// terminal. Such characters are:
/// * control characters except newline and tab (U+0000 to U+001F, U+007F to U+009F),
/// * those that end lines or change the direction of text (U+2028 to U+202E, U+2066 to U+2069),
/// * U+FFFE, U+FFFF, and bytes that are not valid UTF-8.
std::size_t printable_size(std::string_view text);

/// Makes text from an unknown source safe for a terminal. A character that must not reach a terminal becomes
/// `\u001b`, which JSON reads as the same character. A byte that is not valid UTF-8 becomes `\xff`. CR LF
/// becomes a newline. Printable text does not change, so that applying the function twice has the same result
/// as once.
std::string printable(std::string_view text);

/// The same, and newlines and tabs are written as `\n` and `\t`, so that the result is one line.
std::string printable_line(std::string_view text);

}  // namespace warptune::base
