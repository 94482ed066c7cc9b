#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace warptune::tuner {

/// Columns of the terminal that a stream writes to; 0 where it is none (a file, a pipe).
std::size_t terminal_width(std::FILE* stream);

/// Lines longer than `width` columns broken at blanks, what follows indented by four more than the line;
/// words that are too long stay whole. Columns are bytes. A width of 0 leaves the text as it is.
std::string wrap_lines(std::string_view text, std::size_t width);

}  // namespace warptune::tuner
