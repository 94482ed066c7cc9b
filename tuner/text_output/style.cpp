// Colour on a terminal.
//
// Everything that is printed is escaped, because it may come from elsewhere (terminal.h). That would also
// escape the control sequences for colour. Therefore styled text has marks of printable characters instead:
// `\(`, a random number of this process, a letter and `)`. `print_to` escapes the text first and then
// replaces the marks.
#include "tuner/text_output/style.h"

#include <fmt/format.h>

#include "base/environment.h"
#include "base/random.h"

namespace warptune::tuner::text_output {

namespace {

bool out_has_colour = false;
bool error_has_colour = false;

// Returns the first part of a mark. Marks that start a style and marks that end one have the same first part.
const std::string& mark_begin() {
  static const std::string text = fmt::format("\\({:016x}", base::unforeseen_seed());
  return text;
}

constexpr std::size_t kMarkEnd = 2;  // The size of what follows: the letter and the closing parenthesis.

// The parameters of "Select Graphic Rendition" (ECMA-48, section 8.3.117). The letter `e` ends a style.
std::string_view rendition(char letter) {
  switch (letter) {
    case 'h':
      return "\x1b[1m";
    case 'g':
      return "\x1b[32m";
    case 'c':
      return "\x1b[33m";
    case 'b':
      return "\x1b[31m";
    default:
      return "\x1b[0m";
  }
}

char letter_of(Style style) {
  switch (style) {
    case Style::kHeading:
      return 'h';
    case Style::kGood:
      return 'g';
    case Style::kCaution:
      return 'c';
    case Style::kBad:
      break;
  }
  return 'b';
}

}  // namespace

void find_colour(std::FILE* stream) {
  (stream == stdout ? out_has_colour : error_has_colour) = base::shows_colour(stream);
}

bool has_colour(std::FILE* stream) {
  if (stream == stdout) return out_has_colour;
  return stream == stderr && error_has_colour;
}

std::string styled(Style style, std::string_view text) {
  if (text.empty() || (!out_has_colour && !error_has_colour)) return std::string(text);
  return fmt::format("{0}{1}){2}{0}e)", mark_begin(), letter_of(style), text);
}

std::string with_marks_replaced(std::string_view text, bool colour) {
  const std::string& begin = mark_begin();
  std::string replaced;
  while (true) {
    const std::size_t at = text.find(begin);
    replaced.append(text.substr(0, at));
    if (at == std::string_view::npos || text.size() < at + begin.size() + kMarkEnd) return replaced;
    if (colour) replaced.append(rendition(text[at + begin.size()]));
    text.remove_prefix(at + begin.size() + kMarkEnd);
  }
}

}  // namespace warptune::tuner::text_output
