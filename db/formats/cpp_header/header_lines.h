// The text of a header in the making, line by line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace warptune::db::formats::cpp_header {

/// Lines of C++ that are appended to one another.
class HeaderLines {
 public:
  /// One format string may hold several lines; a line feed follows it.
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }
  void raw(std::string_view text) { text_ += text; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace warptune::db::formats::cpp_header
