#include "model/expressions/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace warptune::model::expressions {

void throw_at(std::string_view expression, const base::SourcePosition& where, std::size_t offset,
              const std::string& message) {
  if (where.line <= 0 || where.column <= 0) {
    throw base::InputError(fmt::format("{} at column {} of '{}'", message, offset + 1, expression), where);
  }
  base::SourcePosition position = where;
  const std::string_view before = expression.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  position.line += static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  position.column = newline == std::string_view::npos ? where.column + static_cast<int>(offset)
                                                      : static_cast<int>(offset - newline);
  throw base::InputError(message, position);
}

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Tokenizer {
 public:
  Tokenizer(std::string_view expression, const base::SourcePosition& where, bool dotted_names)
      : text_(expression), where_(where), dotted_names_(dotted_names) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    while (true) {
      while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r'))) ++at_;
      tokens.push_back(next());
      Token& token = tokens.back();
      token.source = text_.substr(token.begin, at_ - token.begin);
      if (token.kind == Token::Kind::kEnd) return tokens;
    }
  }

 private:
  Token next() {
    Token token;
    token.begin = static_cast<std::uint32_t>(at_);
    if (at_ == text_.size()) return token;
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      read_number(token);
    } else if (is_name_start(c)) {
      token.kind = Token::Kind::kName;
      while (is_name_start(peek(0)) || is_digit(peek(0)) || joins_name()) ++at_;
    } else if (c == '"' || c == '\'') {
      read_text(token);
    } else {
      token.kind = Token::Kind::kSymbol;
      at_ += symbol_length();
    }
    return token;
  }

  char peek(std::size_t ahead) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  bool joins_name() const { return dotted_names_ && peek(0) == '.' && is_name_start(peek(1)); }

  void skip_digits() {
    while (is_digit(peek(0))) ++at_;
  }

  void read_number(Token& token) {
    token.kind = Token::Kind::kInteger;
    skip_digits();
    if (peek(0) == '.') {
      token.kind = Token::Kind::kReal;
      ++at_;
      skip_digits();
    }
    const bool exponent = peek(0) == 'e' || peek(0) == 'E';
    const bool sign = peek(1) == '-' || peek(1) == '+';
    if (exponent && is_digit(peek(sign ? 2 : 1))) {
      token.kind = Token::Kind::kReal;
      at_ += sign ? 2 : 1;
      skip_digits();
    }
    const char* first = text_.data() + token.begin;
    const char* last = text_.data() + at_;
    if (token.kind == Token::Kind::kReal) {
      if (std::from_chars(first, last, token.real).ec != std::errc()) {
        fail(token.begin, "a real that a 64-bit floating-point number cannot hold");
      }
    } else if (std::from_chars(first, last, token.integer).ec != std::errc() ||
               token.integer > std::uint64_t{1} << 63) {
      fail(token.begin, "an integer that 64 bits cannot hold");
    }
  }

  void read_text(Token& token) {
    token.kind = Token::Kind::kText;
    const char quote = text_[at_++];
    while (peek(0) != quote) {
      if (at_ >= text_.size()) fail(token.begin, fmt::format("text without its closing {}", quote));
      char c = text_[at_++];
      if (c == '\\') {
        c = peek(0);
        if (c != '\\' && c != '"' && c != '\'' && c != 'n' && c != 't') {
          fail(at_ - 1, R"(unknown escape, expected one of \\ \" \' \n \t)");
        }
        ++at_;
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
      }
      token.text += c;
    }
    ++at_;
  }

  std::size_t symbol_length() const {
    static constexpr std::array<std::string_view, 7> kLong = {"||", "&&", "==", "!=", "<=", ">=", "//"};
    const std::string_view rest = text_.substr(at_);
    for (const std::string_view symbol : kLong) {
      if (rest.substr(0, 2) == symbol) return 2;
    }
    const char c = rest.front();
    if (c == '=') fail(at_, "found '=', expected '=='");
    if (c == '&') fail(at_, "found '&', expected '&&'");
    if (c == '|') fail(at_, "found '|', expected '||'");
    if (std::string_view("+-*/%<>!?:(),").find(c) == std::string_view::npos) {
      fail(at_, fmt::format("found '{}', expected a value or an operator", character(rest)));
    }
    return 1;
  }

  // The whole UTF-8 sequence of the first character.
  static std::string_view character(std::string_view text) {
    std::size_t length = 1;
    while (length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U) ++length;
    return text.substr(0, length);
  }

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const {
    throw_at(text_, where_, offset, message);
  }

  std::string_view text_;
  const base::SourcePosition& where_;
  bool dotted_names_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<Token> tokenize(std::string_view expression, const base::SourcePosition& where,
                            bool dotted_names) {
  return Tokenizer(expression, where, dotted_names).run();
}

}  // namespace warptune::model::expressions
