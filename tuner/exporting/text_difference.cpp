#include "tuner/exporting/text_difference.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace warptune::tuner::exporting {

namespace {

bool is_guard(std::string_view line) {
  return line.find("WARPTUNE_TUNED_") != std::string_view::npos ||
         (line.find("WARPTUNE_CUDA_") != std::string_view::npos &&
          line.find("WARPTUNE_CUDA_SUPPORT") == std::string_view::npos);
}

// The lines of `text` that `other` lacks, in order.
std::string lines_missing_from(const std::vector<std::string>& text, const std::vector<std::string>& other,
                               char mark, std::size_t most) {
  std::map<std::string_view, std::size_t> known;
  for (const std::string& line : other) ++known[line];
  std::string missing;
  std::size_t count = 0;
  for (const std::string& line : text) {
    const auto found = known.find(line);
    if (found != known.end() && found->second > 0) {
      --found->second;
    } else if (!is_guard(line) && ++count <= most) {
      missing += fmt::format("\n{} {}", mark, line);
    }
  }
  if (count > most) missing += fmt::format("\n{} and {} more", mark, base::counted(count - most, "line"));
  return missing;
}

}  // namespace

std::string text_difference(const std::string& before, const std::string& after, std::size_t most) {
  const std::vector<std::string> old_lines = base::split(before, '\n');
  const std::vector<std::string> new_lines = base::split(after, '\n');
  return lines_missing_from(old_lines, new_lines, '-', most) +
         lines_missing_from(new_lines, old_lines, '+', most);
}

}  // namespace warptune::tuner::exporting
