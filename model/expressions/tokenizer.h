#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace warptune::model::expressions {

struct Token {
  enum class Kind { kEnd, kInteger, kReal, kText, kName, kSymbol };

  Kind kind = Kind::kEnd;
  std::string_view source;    ///< As written; a view into the expression.
  std::uint32_t begin = 0;    ///< Offset of its first character.
  std::uint64_t integer = 0;  ///< At most 2^63, which only a minus makes fit.
  double real = 0.0;
  std::string text;  ///< Without quotes and escapes.
};

/// Splits an expression; the last token is `kEnd`. `dotted_names`: a dot between a name and a letter joins
/// them. Throws `base::InputError`, placed as by `throw_at`.
std::vector<Token> tokenize(std::string_view expression, const base::SourcePosition& where,
                            bool dotted_names = false);

/// Throws `base::InputError` placed `offset` characters into an expression that starts at `where`. The
/// message names the column where the position is unknown.
[[noreturn]] void throw_at(std::string_view expression, const base::SourcePosition& where, std::size_t offset,
                           const std::string& message);

}  // namespace warptune::model::expressions
