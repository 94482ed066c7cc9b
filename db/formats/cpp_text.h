#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/value.h"

namespace warptune::db::formats {

/// Makes a C++ identifier of any name. Invalid characters become `_`. Keywords and names that begin with a
/// digit get another `_`.
std::string identifier(std::string_view name);
/// The same, but different from all names in `taken`. The result is added to `taken`.
std::string unique_identifier(std::string_view name, std::set<std::string>& taken);
/// A string literal with its quotes. It has no trigraphs and no control characters.
std::string string_literal(std::string_view text);
/// A literal. Integers have type `long long`. Reals have enough digits to give the same bits again.
std::string literal(const model::Value& value);
/// A literal of type `double`; 0.0 for a number that is not finite.
std::string real_literal(double value);
/// Makes text safe for a `//` comment: one line, with no backslash at its end.
std::string comment_text(std::string_view text);

}  // namespace warptune::db::formats
