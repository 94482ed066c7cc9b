#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::text_output {

/// A cell of a CSV file, in quotes (doubled inside) where its text needs them: RFC 4180. A text that a
/// spreadsheet would take for a formula (it begins with `=`, `+`, `-`, `@`, a tab or a line break, and is no
/// number) has an apostrophe before it; what must not reach a terminal is escaped (`base::printable`).
std::string csv_cell(std::string_view text);

/// The cells of one line, what stands in quotes without them, a formula without its apostrophe; nothing where
/// a quoted cell does not end in the line or text follows its end.
std::optional<std::vector<std::string>> csv_cells(std::string_view line);

}  // namespace warptune::tuner::text_output
