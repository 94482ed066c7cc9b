#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::text_output {

/// Escapes a text for a cell of a Markdown table.
std::string markdown_cell(const std::string& text);
/// Escapes a text for a cell and formats it as code. An empty text stays empty.
std::string markdown_code(const std::string& text);
/// One line of a table with its newline. The cells are not escaped again.
std::string markdown_row(const std::vector<std::string>& cells);
/// The heading of a table and the rule below it.
std::string markdown_head(const std::vector<std::string>& names);

}  // namespace warptune::tuner::text_output
