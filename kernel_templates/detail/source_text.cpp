#include "kernel_templates/detail/source_text.h"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"

namespace warptune::kernel_templates::detail {

namespace fs = std::filesystem;

namespace {

std::string newlines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

struct Include {
  std::string name;  ///< Empty: the line includes nothing.
  bool quoted = false;
};

// The name of an `#include "name"` or `#include <name>` line.
Include include_of(std::string_view line) {
  line = base::trim(line);
  if (line.empty() || line.front() != '#') return {};
  line = base::trim(line.substr(1));
  if (line.substr(0, 7) != "include") return {};
  line = base::trim(line.substr(7));
  if (line.empty() || (line.front() != '"' && line.front() != '<')) return {};
  const bool quoted = line.front() == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return {};
  return {std::string(line.substr(1, end - 1)), quoted};
}

}  // namespace

SplitSource split_source(const std::string& text, const std::string& file) {
  const std::string marker = "/* warptune";
  std::size_t start = 0;
  // Only blank space and line comments may stand before it.
  for (;;) {
    const std::size_t first = text.find_first_not_of(" \t\r\n", start);
    if (first == std::string::npos) return {"", text};
    if (text.compare(first, marker.size(), marker) == 0) {
      start = first;
      break;
    }
    if (text.compare(first, 2, "//") != 0) return {"", text};
    start = text.find('\n', first);
    if (start == std::string::npos) return {"", text};
  }
  const std::size_t line_end = text.find('\n', start);
  const std::size_t end = text.find("*/", start);
  if (end == std::string::npos || line_end == std::string::npos || end < line_end) {
    const int line = 1 + static_cast<int>(std::count(
                             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
    throw base::InputError(
        "the tuning description that '/* warptune' opens here is not closed by '*/' on a later line",
        {file, line, 1});
  }
  SplitSource split;
  split.description =
      newlines_of(std::string_view(text).substr(0, line_end)) + text.substr(line_end, end - line_end);
  split.code = newlines_of(std::string_view(text).substr(0, end)) + text.substr(end + 2);
  return split;
}

std::vector<std::string> include_closure(const fs::path& source, const std::string& code,
                                         const std::vector<fs::path>& folders) {
  std::vector<std::string> texts;
  std::error_code ignored;
  std::set<fs::path> seen = {fs::canonical(source, ignored)};
  std::vector<std::pair<fs::path, std::string>> open = {{source, code}};
  while (!open.empty()) {
    const auto [file, text] = open.back();
    open.pop_back();
    for (const std::string& line : base::split(text, '\n')) {
      const Include include = include_of(line);
      if (include.name.empty()) continue;
      std::vector<fs::path> candidates;
      if (include.quoted) candidates.push_back(file.parent_path() / include.name);
      candidates.push_back(source.parent_path() / include.name);
      for (const fs::path& folder : folders) candidates.push_back(folder / include.name);
      for (const fs::path& candidate : candidates) {
        if (!fs::is_regular_file(candidate, ignored)) continue;
        const fs::path canonical = fs::canonical(candidate, ignored);
        if (seen.insert(canonical).second) {
          texts.push_back(base::read_file(canonical));
          open.emplace_back(canonical, texts.back());
        }
        break;
      }
    }
  }
  return texts;
}

}  // namespace warptune::kernel_templates::detail
