#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace warptune::tuner::text_output {

/// The meaning of a piece of text, which a terminal can show by colour. The words alone must say the same.
enum class Style {
  kHeading,  ///< The heading of a table.
  kGood,     ///< A good result.
  kCaution,  ///< What a person should look at.
  kBad,      ///< A failure.
};

/// Looks at a standard stream once: whether it is a terminal that shows colour. It is not if the variable
/// NO_COLOR is set and not empty (https://no-color.org), or if TERM is `dumb`. Before this call, the stream
/// has no colour.
void find_colour(std::FILE* stream);

/// The text with marks that `print_to` replaces by colour, on a stream that has it, or removes. If no stream
/// has colour, it is the text itself. The marks differ in each process, so that no text from elsewhere can
/// contain them.
std::string styled(Style style, std::string_view text);

/// Replaces the marks in a text by the escape sequences of a terminal, or removes them. `text` may hold
/// anything else.
std::string with_marks_replaced(std::string_view text, bool colour);
bool has_colour(std::FILE* stream);

}  // namespace warptune::tuner::text_output
