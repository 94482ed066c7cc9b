#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "model/expression.h"

namespace warptune::model::expressions {

/// The type of a variable, or std::nullopt if it is unknown.
using TypeLookup = std::function<std::optional<ValueType>(std::string_view)>;

/// The type of an expression's value as far as its text and the types of its variables tell it, without any
/// evaluation. Returns std::nullopt if the type depends on values or is unknown. A comparison or a logical
/// operator is boolean.
std::optional<ValueType> type_of(const Expression& expression, const TypeLookup& variables);

}  // namespace warptune::model::expressions
