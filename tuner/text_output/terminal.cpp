#include "tuner/text_output/terminal.h"

#include <sys/ioctl.h>

#include <algorithm>

#include "base/text.h"
#include "tuner/text_output/style.h"

namespace warptune::tuner::text_output {

namespace {

constexpr std::size_t kHanging = 4;
constexpr std::size_t kMinText = 30;  // Minimum number of columns after the indentation.

// Where to break a line: at the last space that fits, but after the first word. Without such a space, at the
// next one, or at the end of the line.
std::size_t break_of(std::string_view line, std::size_t width) {
  if (line.size() <= width) return line.size();
  const std::size_t first_word = std::min(line.find_first_not_of(' '), line.size());
  std::size_t at = line.rfind(' ', width);
  if (at == std::string_view::npos || at < first_word) at = line.find(' ', std::max(width, first_word));
  return std::min(at, line.size());
}

// Whether a line fits without its marks of style (style.h), which take no columns of the terminal.
bool fits_with_marks(std::string_view line, std::size_t width) {
  const bool marked = has_colour(stdout) || has_colour(stderr);
  return marked && with_marks_replaced(line, false).size() <= width;
}

std::string wrap_line(std::string_view line, std::size_t width) {
  if (fits_with_marks(line, width)) return std::string(line);
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size()) + kHanging;
  const std::size_t room = std::max(width > indent ? width - indent : 0, kMinText);
  std::size_t end = break_of(line, width);
  std::string text(line.substr(0, end));
  text.erase(text.find_last_not_of(' ') + 1);
  for (line = base::trim(line.substr(end)); !line.empty(); line = base::trim(line.substr(end))) {
    end = break_of(line, room);
    text += "\n" + std::string(indent, ' ') + std::string(base::trim(line.substr(0, end)));
  }
  return text;
}

}  // namespace

void print_to(std::FILE* stream, std::string_view text) {
  std::string shown = base::printable(text);
  if (has_colour(stdout) || has_colour(stderr)) shown = with_marks_replaced(shown, has_colour(stream));
  static_cast<void>(std::fwrite(shown.data(), 1, shown.size(), stream));  // `stream` keeps a failure.
}

void print_fitted(std::string_view text) { print_to(stdout, wrap_lines(text, terminal_width(stdout))); }

void erase_line(std::FILE* stream) { std::fputs("\r\x1b[2K", stream); }

void clear_screen(std::FILE* stream) { std::fputs("\x1b[H\x1b[2J", stream); }

std::size_t terminal_width(std::FILE* stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrap_lines(std::string_view text, std::size_t width) {
  if (width == 0) return std::string(text);
  std::string wrapped;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrapped += wrap_line(text.substr(0, end), width);
    if (end == text.size()) break;
    wrapped += "\n";
    text.remove_prefix(end + 1);
  }
  return wrapped;
}

}  // namespace warptune::tuner::text_output
