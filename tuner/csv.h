#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner {

/// A cell of a CSV file, in quotes (doubled inside) where its text needs them: RFC 4180.
std::string csv_cell(std::string_view text);

/// The cells of one line, what stands in quotes without them; nothing where a quoted cell does not end in the
/// line or text follows its end.
std::optional<std::vector<std::string>> csv_cells(std::string_view line);

}  // namespace warptune::tuner
