// Collects the text of a header, line by line.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace warptune::db::formats::cpp_header {

/// Lines of C++ code.
class HeaderLines {
 public:
  /// Appends a formatted text and a line feed. The text may have several lines.
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
