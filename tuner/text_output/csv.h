#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::text_output {

/// A cell of a CSV file. A text that needs quotes gets them, and quotes inside are doubled (RFC 4180).
///
/// Spreadsheets treat a text as a formula when it begins with `=`, `+`, `-`, `@`, a tab or a line break. Such
/// a text gets an apostrophe before it, unless it is a number. Characters that must not reach a terminal are
/// escaped (`base::printable`).
std::string csv_cell(std::string_view text);

/// The cells of one line, without quotes and without the apostrophe before a formula. Returns `std::nullopt`
/// when a quoted cell does not end in the line, or when text follows its end.
std::optional<std::vector<std::string>> csv_cells(std::string_view line);

}  // namespace warptune::tuner::text_output
