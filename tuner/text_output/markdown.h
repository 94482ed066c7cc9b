#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::text_output {

/// Text as it may stand in a cell of a Markdown table.
std::string markdown_cell(const std::string& text);
/// The same as code; nothing for an empty text.
std::string markdown_code(const std::string& text);
/// A line of a table, with its end. The cells are as they are to stand.
std::string markdown_row(const std::vector<std::string>& cells);
/// The heading and the rule below it.
std::string markdown_head(const std::vector<std::string>& names);

}  // namespace warptune::tuner::text_output
