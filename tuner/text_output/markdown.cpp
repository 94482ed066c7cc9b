#include "tuner/text_output/markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace warptune::tuner::text_output {

std::string markdown_cell(const std::string& text) {
  std::string escaped;
  for (const char c : base::printable_line(text))
    escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::string markdown_code(const std::string& text) {
  return text.empty() ? "" : "`" + markdown_cell(text) + "`";
}

std::string markdown_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string markdown_head(const std::vector<std::string>& names) {
  return markdown_row(names) + markdown_row(std::vector<std::string>(names.size(), "---"));
}

}  // namespace warptune::tuner::text_output
