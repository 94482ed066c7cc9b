#include "db/formats/cpp_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace warptune::db::formats {

namespace {

// The keywords of C++20, names that compilers define as macros, and names of the exported header.
constexpr std::array<std::string_view, 98> kReserved = {
    "alignas",  "alignof",       "and",          "and_eq",    "asm",
    "auto",     "bitand",        "bitor",        "bool",      "break",
    "case",     "catch",         "char",         "char8_t",   "char16_t",
    "char32_t", "class",         "compl",        "concept",   "config",
    "const",    "consteval",     "constexpr",    "constinit", "const_cast",
    "continue", "co_await",      "co_return",    "co_yield",  "decltype",
    "default",  "delete",        "do",           "double",    "dynamic_cast",
    "else",     "enum",          "explicit",     "export",    "extern",
    "false",    "float",         "for",          "friend",    "goto",
    "if",       "inline",        "int",          "linux",     "long",
    "mutable",  "namespace",     "new",          "noexcept",  "not",
    "not_eq",   "nullptr",       "operator",     "or",        "or_eq",
    "private",  "protected",     "public",       "register",  "reinterpret_cast",
    "requires", "return",        "short",        "signed",    "sizeof",
    "static",   "static_assert", "static_cast",  "struct",    "switch",
    "template", "this",          "thread_local", "throw",     "true",
    "try",      "typedef",       "typeid",       "typename",  "union",
    "unix",     "unsigned",      "using",        "virtual",   "void",
    "volatile", "wchar_t",       "while",        "xor",       "xor_eq",
    "Config",   "Problem",       "Device"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct LiteralWriter {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const {
    if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
    return fmt::format("{}LL", value);
  }
  std::string operator()(double value) const { return real_literal(value); }
  std::string operator()(const std::string& value) const { return string_literal(value); }
};

}  // namespace

std::string identifier(std::string_view name) {
  std::string text;
  for (const char c : name) text += is_letter(c) || is_digit(c) ? c : '_';
  if (text.empty() || is_digit(text.front()) || text.front() == '_') text.insert(0, "v");
  if (std::find(kReserved.begin(), kReserved.end(), text) != kReserved.end()) text += '_';
  return text;
}

std::string unique_identifier(std::string_view name, std::set<std::string>& taken) {
  const std::string wanted = identifier(name);
  std::string text = wanted;
  for (int i = 2; !taken.insert(text).second; ++i) text = fmt::format("{}_{}", wanted, i);
  return text;
}

std::string string_literal(std::string_view text) {
  std::string literal = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = c == '\n' || c == '\t' ? 0 : base::printable_size(text);
    if (c == '"' || c == '\\' || c == '?') literal += '\\';
    if (size > 0) {
      literal += text.substr(0, size);
    } else {
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return literal + '"';
}

std::string literal(const model::Value& value) { return std::visit(LiteralWriter{}, value); }

std::string real_literal(double value) {
  if (!std::isfinite(value)) return "0.0";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string comment_text(std::string_view text) {
  std::string line;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t size = base::printable_size(text);
    if (size == 0 || c == '\n' || c == '\t') {
      line += ' ';
    } else if (c == '\\') {
      line += '/';
    } else {
      line += text.substr(0, size);
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return line;
}

}  // namespace warptune::db::formats
