#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace warptune::tuner::text_output {

/// Writes text to a standard stream: all that the program prints, but its log, passes here. Names, values,
/// compile logs and recordings come from others, so what must not reach a terminal is escaped
/// (`base::printable`), in a file or a pipe as well. Failures are kept by the stream (`std::ferror`).
void print_to(std::FILE* stream, std::string_view text);

/// Prints on standard output.
template <class... Values>
void print_out(fmt::format_string<Values...> format, Values&&... values) {
  print_to(stdout, fmt::format(format, std::forward<Values>(values)...));
}

/// Prints on standard error.
template <class... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  print_to(stderr, fmt::format(format, std::forward<Values>(values)...));
}

/// Takes away what stands in the cursor's line of a terminal, and goes to the line's start.
void erase_line(std::FILE* stream);

/// Columns of the terminal that a stream writes to; 0 where it is none (a file, a pipe).
std::size_t terminal_width(std::FILE* stream);

/// Lines longer than `width` columns broken at blanks, what follows indented by four more than the line;
/// words that are too long stay whole. Columns are bytes. A width of 0 leaves the text as it is.
std::string wrap_lines(std::string_view text, std::size_t width);

}  // namespace warptune::tuner::text_output
