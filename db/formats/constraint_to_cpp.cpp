// Translates constraints into C++ by recursive descent. The grammar and the precedence are those of
// `model::Expression` (model/expressions), and each function here parses one level of precedence. Every
// operand becomes a `Cell` of the exported header (cpp_header/header_support.cpp). The operators of `Cell`
// follow the rules of `model::Expression`, including failures such as an overflow. A constraint therefore has
// the same result in the header and in warptune.
#include "db/formats/constraint_to_cpp.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/formats/cpp_text.h"

namespace warptune::db::formats {

namespace {

// Binary operators by precedence, lowest first. Within a level, `<=` comes before `<`, and `//` before `/`,
// because the first match counts.
const std::vector<std::vector<std::string_view>>& operator_levels() {
  static const std::vector<std::vector<std::string_view>> levels = {
      {"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "//", "/", "%"}};
  return levels;
}

class Translator {
 public:
  Translator(std::string_view text, const CppNames& names) : text_(text), names_(names) {}

  std::string run() {
    std::string code = choice();
    if (skip_space() != '\0') fail();
    return code;
  }

  /// The first name that is not in the map, or an empty text.
  const std::string& missing() const { return missing_; }

 private:
  [[noreturn]] void fail() const {
    throw base::InternalError(fmt::format("cannot translate '{}' at column {}", text_, at_ + 1));
  }

  char skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(std::string_view symbol) {
    skip_space();
    if (text_.substr(at_, symbol.size()) != symbol) return false;
    at_ += symbol.size();
    return true;
  }
  void require(std::string_view symbol) {
    if (!accept(symbol)) fail();
  }

  std::string choice() {
    std::string condition = binary(0);
    if (!accept("?")) return condition;
    const std::string yes = choice();
    require(":");
    const std::string no = choice();
    return fmt::format("warptune_detail::select({}, {}, {})", condition, yes, no);
  }

  std::string binary(std::size_t level) {
    if (level == operator_levels().size()) return unary();
    std::string left = binary(level + 1);
    while (true) {
      std::string_view found;
      for (const std::string_view symbol : operator_levels()[level]) {
        if (found.empty() && accept(symbol)) found = symbol;
      }
      if (found.empty()) return left;
      const std::string right = binary(level + 1);
      left = found == "//" ? fmt::format("warptune_detail::quotient({}, {})", left, right)
                           : fmt::format("({} {} {})", left, found, right);
    }
  }

  std::string unary() {
    if (accept("-")) return smallest_integer() ? literal(INT64_MIN) : fmt::format("(-{})", unary());
    if (skip_space() == '!' && text_.substr(at_, 2) != "!=") {
      ++at_;
      return fmt::format("(!{})", unary());
    }
    return primary();
  }

  // -9223372036854775808 is one literal, as in `model::Expression`, because its positive counterpart
  // overflows.
  bool smallest_integer() { return accept("9223372036854775808"); }

  static std::string literal(const model::Value& value) {
    return fmt::format("warptune_detail::cell({})", formats::literal(value));
  }

  std::string primary() {
    const char first = skip_space();
    if (accept("(")) {
      std::string inner = choice();
      require(")");
      return inner;
    }
    if (first == '"' || first == '\'') return text_literal(first);
    if (std::isdigit(static_cast<unsigned char>(first)) != 0 || first == '.') return number();
    return name();
  }

  std::string text_literal(char quote) {
    std::string value;
    for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size()) {
        value += text_[at_];
        continue;
      }
      ++at_;
      value += text_[at_] == 'n' ? '\n' : text_[at_] == 't' ? '\t' : text_[at_];
    }
    if (at_ == text_.size()) fail();
    ++at_;
    return literal(value);
  }

  std::string number() {
    const std::size_t begin = at_;
    const auto is_part = [this] {
      const char c = text_[at_];
      const char before = at_ == 0 ? '\0' : text_[at_ - 1];
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ||
             ((c == '+' || c == '-') && (before == 'e' || before == 'E'));
    };
    while (at_ < text_.size() && is_part()) ++at_;
    const model::Value value = model::parse_value(text_.substr(begin, at_ - begin));
    if (model::type_of(value) == model::ValueType::kText) fail();
    return literal(value);
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) fail();
    if (name == "true" || name == "false") return literal(name == "true");
    if (accept("(")) return call(name);
    const auto found = names_.find(name);
    if (found != names_.end()) return fmt::format("warptune_detail::cell({})", found->second);
    if (missing_.empty()) missing_ = name;
    return "";
  }

  std::string call(const std::string& function) {
    std::vector<std::string> operands = {choice()};
    while (accept(",")) operands.push_back(choice());
    require(")");
    // The header has none of these: their results differ between machines, or are not constant expressions.
    const bool is_missing = function == "sqrt" || function == "exp" || function == "pow";
    if (is_missing && missing_.empty()) missing_ = function;
    const std::string cpp = function == "sizeof" ? "size_of" : function;
    std::string code = operands.front();
    if (operands.size() == 1) return fmt::format("warptune_detail::{}({})", cpp, code);
    for (std::size_t i = 1; i < operands.size(); ++i) {
      code = fmt::format("warptune_detail::{}({}, {})", cpp, code, operands[i]);
    }
    return code;
  }

  std::string_view text_;
  const CppNames& names_;
  std::size_t at_ = 0;
  std::string missing_;
};

}  // namespace

Translation constraint_to_cpp(const std::string& expression, const CppNames& names) {
  Translator translator(expression, names);
  std::string code = translator.run();
  if (!translator.missing().empty()) return {std::nullopt, translator.missing()};
  return {std::move(code), ""};
}

}  // namespace warptune::db::formats
