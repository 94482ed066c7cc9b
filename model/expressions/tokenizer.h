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
  std::string_view source;    ///< The characters of the token, as a view into the expression.
  std::uint32_t begin = 0;    ///< The offset of its first character.
  std::uint64_t integer = 0;  ///< The value of an integer literal. 2^63 is valid only after a minus sign.
  double real = 0.0;
  std::string text;  ///< The text without quotes and escapes.
};

/// Splits an expression into tokens; the last one is `kEnd`. With `dotted_names` a dot between a name and a
/// letter is part of the name. Throws `base::InputError` with a position as `throw_at` does.
std::vector<Token> tokenize(std::string_view expression, const base::SourcePosition& where,
                            bool dotted_names = false);

/// Throws `base::InputError` for the character at `offset` of an expression that begins at `where`. If that
/// position is unknown, the message contains the column.
[[noreturn]] void throw_at(std::string_view expression, const base::SourcePosition& where, std::size_t offset,
                           const std::string& message);

}  // namespace warptune::model::expressions
