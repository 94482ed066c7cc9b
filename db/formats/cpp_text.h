#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/value.h"

namespace warptune::db::formats {

/// Makes a C++ identifier of any name. Invalid characters become `_`. A name that begins with a digit or with
/// `_` gets the prefix `v`. A keyword, or a name that the header uses itself, gets the suffix `_`.
std::string identifier(std::string_view name);
/// Makes a C++ identifier that differs from all names in `taken`, and adds it to `taken`.
std::string unique_identifier(std::string_view name, std::set<std::string>& taken);
/// A string literal with its quotes. Question marks are escaped because of trigraphs, and so are control
/// characters.
std::string string_literal(std::string_view text);
/// A C++ literal. Integers have type `long long`. Reals have enough digits to give the same bits again.
std::string literal(const model::Value& value);
/// A literal of type `double`; 0.0 for a number that is not finite.
std::string real_literal(double value);
/// Makes text safe for a `//` comment: one line without backslashes, which would continue it on the next
/// line.
std::string comment_text(std::string_view text);

}  // namespace warptune::db::formats
