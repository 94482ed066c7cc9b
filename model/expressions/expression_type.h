#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/expression.h"

namespace warptune::model::expressions {

/// The type of a variable, or std::nullopt if it is unknown.
using TypeLookup = std::function<std::optional<ValueType>(std::string_view)>;

/// The type of an expression's value as far as its text and the types of its variables determine it. Nothing
/// is evaluated. Returns std::nullopt if the type depends on values or is unknown. A comparison or a logical
/// operator is boolean.
std::optional<ValueType> type_of(const Expression& expression, const TypeLookup& variables);

/// A part of an expression that is a number where a truth value is expected.
struct NumericOperand {
  std::string text;
  base::SourcePosition position;  ///< Where the part begins.
};
/// The operands of `&&` and `||`, and the conditions of `?:`, whose type is a number. The expression itself
/// and the operand of `!` do not count: `!(N % 4)` says what is meant.
std::vector<NumericOperand> numeric_operands(const Expression& expression, const TypeLookup& variables);

}  // namespace warptune::model::expressions
