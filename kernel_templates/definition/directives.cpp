// Finds includes and macro definitions in a text.
//
// The result decides which files a definition may make the compiler read, so it must never miss an include.
// The text is read as the preprocessor does (C++17 [lex.phases]): lines are spliced, then comments, literals
// and directives are recognised. What a literal is depends on the standard of C++ (trigraphs, raw strings,
// digit separators). The text is therefore read once for each combination of the features that occur in it,
// and the results are joined. An include that no compiler would see is acceptable: at worst a definition is
// refused.
#include "kernel_templates/definition/directives.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "base/text.h"
#include "kernel_templates/compiling/source_text.h"
#include "kernel_templates/definition/logical_characters.h"

namespace warptune::kernel_templates::definition {

namespace {

bool begins_raw_string(std::string_view prefix) {
  return prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
}

bool begins_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return begins_word(c) || is_digit(c); }
// NVRTC treats a NUL as white space. It reports an error, but continues to compile.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r' || c == '\0'; }

class DirectiveReader {
 public:
  DirectiveReader(const std::string& text, const Dialect& dialect, Directives& found)
      : text_(text), dialect_(dialect), characters_(text, dialect), found_(found) {}

  void read() {
    bool begins_line = true;
    while (!characters_.at_end()) {
      if ((begins_line && skip_plain_line()) || skip_blanks()) continue;
      const std::size_t place = characters_.place();
      if (characters_.take("\n")) {
        begins_line = true;
      } else if (begins_line && (characters_.take("#") || characters_.take("%:"))) {
        begins_line = false;
        directive(place);
      } else {
        begins_line = false;
        token();
      }
    }
  }

 private:
  // Skips a line that has only words and signs, as most lines do.
  bool skip_plain_line() {
    const std::string_view line = characters_.rest_of_line();
    const bool plain = line.find_first_of("#%\"'/\\?") == std::string_view::npos &&
                       line.find("__has_include") == std::string_view::npos;
    if (plain) characters_.skip(line.size());
    return plain && !line.empty();
  }

  // Skips blanks and comments. A line break within a block comment does not begin a line.
  bool skip_blanks() {
    bool skipped = false;
    for (;; skipped = true) {
      if (characters_.take("//")) {
        const std::string_view line = characters_.rest_of_line();
        if (line.find_first_of("\\?") == std::string_view::npos) characters_.skip(line.size());
        while (!characters_.at_end() && characters_.peek() != '\n') characters_.next();
      } else if (characters_.take("/*")) {
        while (!characters_.at_end() && !characters_.take("*/")) characters_.next();
      } else if (!characters_.at_end() && is_blank(characters_.peek())) {
        characters_.next();
      } else {
        return skipped;
      }
    }
  }

  std::string word() {
    std::string name;
    while (!characters_.at_end() && is_word(characters_.peek())) name += characters_.next();
    return name;
  }

  // Reads a literal. It ends at its quote or at the end of its line.
  std::string literal() {
    const char quote = characters_.next();
    std::string text(1, quote);
    while (!characters_.at_end() && characters_.peek() != '\n') {
      const char c = characters_.next();
      text += c;
      if (c == quote) break;
      if (c == '\\' && characters_.peek() != '\n') text += characters_.next();
    }
    return text;
  }

  // Reads the rest of a raw string after `R`, up to `)delimiter"`. Splices and trigraphs have no effect
  // within it.
  void raw_string() {
    const std::string_view rest = characters_.rest();
    const std::size_t open = rest.find('(');
    const std::size_t line_end = rest.find('\n');
    if (open == std::string_view::npos || open > 17 || line_end < open) {
      literal();
      return;
    }
    const std::string end = ")" + std::string(rest.substr(1, open - 1)) + "\"";
    const std::size_t close = rest.find(end, open);
    characters_.skip(close == std::string_view::npos ? rest.size() : close + end.size());
  }

  std::string number() {
    std::string text(1, characters_.next());
    while (!characters_.at_end()) {
      const char c = characters_.peek();
      if (is_word(c) || c == '.') {
        text += characters_.next();
        continue;
      }
      LogicalCharacters behind = characters_;
      behind.next();
      if (!dialect_.digit_separators || c != '\'' || !is_word(behind.peek())) break;
      text += characters_.next();
    }
    return text;
  }

  // Reads one token and returns its text. The operand of a `__has_include` is stored.
  std::string token() {
    const char c = characters_.peek();
    if (c == '"' || c == '\'') return literal();
    if (is_digit(c)) return number();
    if (!begins_word(c)) return std::string(1, characters_.next());
    const std::size_t place = characters_.place();
    std::string name = word();
    if (dialect_.raw_strings && begins_raw_string(name) && characters_.peek() == '"') {
      raw_string();
    } else if (name == "__has_include" || name == "__has_include_next") {
      skip_blanks();
      if (characters_.take("(")) operand(place, true, name);
    }
    return name;
  }

  void directive(std::size_t place) {
    skip_blanks();
    const std::string name = word();
    if (name == "include" || name == "include_next" || name == "import") operand(place, false, name);
    if (name == "define") macro();
  }

  // Reads the operand of an include.
  void operand(std::size_t place, bool probe, const std::string& directive) {
    skip_blanks();
    IncludeDirective include;
    include.probe = probe;
    include.next = directive.ends_with("_next");
    const char open = characters_.peek();
    if (open == '"' || open == '<') {
      include.quoted = open == '"';
      characters_.next();
      const char close = include.quoted ? '"' : '>';
      while (characters_.peek() != '\n' && characters_.peek() != close) include.name += characters_.next();
    } else {
      include.macros = probe ? word() : rest_of_line();
    }
    if (include.name.empty() && include.macros.empty()) return;
    add(std::move(include), place);
  }

  void macro() {
    skip_blanks();
    MacroDefinition made;
    made.name = word();
    made.takes_arguments = characters_.peek() == '(';
    made.body = rest_of_line();
    if (!made.name.empty()) found_.macros.push_back(std::move(made));
  }

  std::string rest_of_line() {
    std::string text;
    while (!characters_.at_end()) {
      if (skip_blanks()) text += ' ';
      if (characters_.peek() == '\n') break;
      text += token();
    }
    return std::string(base::trim(text));
  }

  void add(IncludeDirective include, std::size_t place) {
    const std::size_t line_start = place == 0 ? std::string::npos : text_.rfind('\n', place - 1);
    const std::size_t start = line_start == std::string::npos ? 0 : line_start + 1;
    include.line = 1 + static_cast<int>(std::count(text_.begin(),
                                                   text_.begin() + static_cast<std::ptrdiff_t>(start), '\n'));
    include.column = 1 + static_cast<int>(place - start);
    found_.includes.push_back(std::move(include));
  }

  const std::string& text_;
  Dialect dialect_;
  LogicalCharacters characters_;
  Directives& found_;
};

bool may_have_separators(const std::string& text) {
  for (std::size_t at = text.find('\''); at != std::string::npos; at = text.find('\'', at + 1)) {
    if (at > 0 && is_word(text[at - 1])) return true;
  }
  return false;
}

// Adds every line that looks like an include, even within comments and strings.
void add_plain_lines(const std::string& text, Directives& found) {
  int number = 0;
  for (const std::string& line : base::split(text, '\n')) {
    ++number;
    const compiling::Include include = compiling::include_of(line);
    if (include.name.empty()) continue;
    const auto column = static_cast<int>(line.find('#')) + 1;
    found.includes.push_back({include.name, include.quoted, "", false, false, number, column});
  }
}

}  // namespace

Directives read_directives(const std::string& text) {
  std::vector<Dialect> dialects = {{}};
  const auto vary = [&](bool occurs, bool Dialect::*part) {
    const std::size_t count = occurs ? dialects.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      Dialect other = dialects[i];
      other.*part = !(other.*part);
      dialects.push_back(other);
    }
  };
  vary(text.find("??") != std::string::npos, &Dialect::trigraphs);
  vary(text.find("R\"") != std::string::npos, &Dialect::raw_strings);
  vary(may_have_separators(text), &Dialect::digit_separators);
  Directives found;
  for (const Dialect& dialect : dialects) DirectiveReader(text, dialect, found).read();
  add_plain_lines(text, found);
  return found;
}

bool is_header_name(const std::string& text, IncludeDirective& include) {
  if (text.size() < 3) return false;
  const char open = text.front();
  const char close = open == '"' ? '"' : '>';
  if ((open != '"' && open != '<') || text.find(close, 1) != text.size() - 1) return false;
  include.name = text.substr(1, text.size() - 2);
  include.quoted = open == '"';
  return true;
}

}  // namespace warptune::kernel_templates::definition
