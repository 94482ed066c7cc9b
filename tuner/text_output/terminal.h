#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

namespace warptune::tuner::text_output {

/// Writes text to a standard stream. Everything that the program prints, except its log, passes through here.
/// Names, values, compile logs and recordings come from untrusted sources. Therefore characters that must not
/// reach a terminal are escaped (`base::printable`), also if the stream is a file or a pipe. A failed write
/// sets the error flag of the stream (`std::ferror`).
void print_to(std::FILE* stream, std::string_view text);

/// Prints on standard output.
template <class... Values>
void print_out(fmt::format_string<Values...> format, Values&&... values) {
  print_to(stdout, fmt::format(format, std::forward<Values>(values)...));
}

/// Prints text for people on standard output. On a terminal, lines that are too long for it are broken
/// between words, as `wrap_lines` does. What programs read goes through `print_out`.
void print_fitted(std::string_view text);
template <class... Values>
void print_text(fmt::format_string<Values...> format, Values&&... values) {
  print_fitted(fmt::format(format, std::forward<Values>(values)...));
}

/// Prints on standard error.
template <class... Values>
void print_error(fmt::format_string<Values...> format, Values&&... values) {
  print_to(stderr, fmt::format(format, std::forward<Values>(values)...));
}

/// Erases the line of a terminal that has the cursor, and moves the cursor to its start.
void erase_line(std::FILE* stream);

/// Clears a terminal, and moves the cursor to its first line.
void clear_screen(std::FILE* stream);

/// The number of columns of the terminal that a stream writes to; 0 for a file or a pipe.
std::size_t terminal_width(std::FILE* stream);

/// Wraps lines that are longer than `width` columns at spaces. Continuation lines are indented by four
/// columns more than the line. Words that are too long are not split. A byte counts as a column. A width of 0
/// leaves the text as it is.
std::string wrap_lines(std::string_view text, std::size_t width);

}  // namespace warptune::tuner::text_output
