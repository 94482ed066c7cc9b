#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::kernel_templates::adapting {

enum class TokenKind { kIdentifier, kLiteral, kMark };

/// A token of C++. A mark is a single character: `::` is two of them.
struct Token {
  TokenKind kind = TokenKind::kMark;
  std::size_t begin = 0;  ///< In bytes from the beginning of the source.
  std::string_view text;

  std::size_t end() const { return begin + text.size(); }
  bool is(std::string_view expected) const { return text == expected; }
};

/// A preprocessor directive with its continued lines.
struct Directive {
  std::size_t begin = 0;
  std::size_t end = 0;         ///< The position of its last line break, or of the end of the source.
  std::size_t tokens = 0;      ///< The number of tokens before it.
  std::string_view name;       ///< Such as `include`.
  std::string_view rest;       ///< What follows the name, without white space at both ends.
  bool surely_active = false;  ///< NVRTC reads it, whatever macros the user defines.
};

/// The tokens of a source outside of directives and comments. All texts point into the source.
struct SourceTokens {
  std::vector<Token> tokens;
  std::vector<Directive> directives;
  std::vector<bool> surely_active;  ///< For each token, as for directives.
};

/// Splits a source into tokens. Conditions of directives are evaluated only if they ask for macros that NVRTC
/// always or never defines, such as `__CUDACC_RTC__` and `_WIN32`.
SourceTokens read_tokens(std::string_view source);

}  // namespace warptune::kernel_templates::adapting
