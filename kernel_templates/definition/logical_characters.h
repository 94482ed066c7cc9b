#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace warptune::kernel_templates::definition {

/// Features of the text that standards of C++ read differently (C++17 [lex.phases], [diff.cpp14.lex],
/// [diff.cpp11.lex]).
struct Dialect {
  bool trigraphs = false;
  bool raw_strings = true;
  bool digit_separators = true;
};

/// The characters of a text with spliced lines and replaced trigraphs. The text is borrowed.
class LogicalCharacters {
 public:
  LogicalCharacters(std::string_view text, const Dialect& dialect) : text_(text), dialect_(dialect) {
    settle();
  }

  bool at_end() const { return at_ >= text_.size(); }
  std::size_t place() const { return at_; }
  /// The next character; a line break at the end of the text.
  char peek() const { return at_end() ? '\n' : is_trigraph(at_) ? trigraph(text_[at_ + 2]) : text_[at_]; }
  char next() {
    const char c = peek();
    if (at_end()) return c;
    at_ += is_trigraph(at_) ? 3U : 1U;
    settle();
    return c;
  }
  /// Skips `expected` if the next characters are these. Returns whether they are.
  bool take(std::string_view expected) {
    if (at_end() || peek() != expected.front()) return false;
    LogicalCharacters ahead = *this;
    for (const char c : expected) {
      if (ahead.at_end() || ahead.next() != c) return false;
    }
    at_ = ahead.at_;
    return true;
  }
  std::string_view rest() const { return text_.substr(at_); }
  /// The text up to the next line break, which may be a spliced one.
  std::string_view rest_of_line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }
  void skip(std::size_t bytes) {
    at_ = std::min(text_.size(), at_ + bytes);
    settle();
  }

 private:
  // [lex.trigraph]: the character that `??` and `third` represent.
  static char trigraph(char third) {
    constexpr std::string_view kThird = "='()!<>-/";
    constexpr std::string_view kMeaning = "#^[]|{}~\\";
    const std::size_t at = kThird.find(third);
    return at == std::string_view::npos ? '\0' : kMeaning[at];
  }
  bool is_trigraph(std::size_t at) const {
    return dialect_.trigraphs && text_.substr(at, 2) == "??" && at + 2 < text_.size() &&
           trigraph(text_[at + 2]) != '\0';
  }
  // Skips line splices: a backslash, or the trigraph that means one, directly before a line break.
  void settle() {
    for (;;) {
      const bool by_trigraph = is_trigraph(at_) && text_[at_ + 2] == '/';
      if (!by_trigraph && (at_ >= text_.size() || text_[at_] != '\\')) return;
      const std::size_t behind = at_ + (by_trigraph ? 3U : 1U);
      const std::size_t line_break = behind + (text_.substr(behind, 1) == "\r" ? 1U : 0U);
      if (text_.substr(line_break, 1) != "\n") return;
      at_ = line_break + 1;
    }
  }

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
};

}  // namespace warptune::kernel_templates::definition
