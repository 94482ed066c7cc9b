#pragma once

#include <set>
#include <string>
#include <string_view>

#include "model/value.h"

namespace warptune::db::formats {

/// A C++ identifier for any name: other characters become `_`, keywords and leading digits get a `_`.
std::string identifier(std::string_view name);
/// The same, made different from those already in `taken`, to which it is added.
std::string unique_identifier(std::string_view name, std::set<std::string>& taken);
/// A string literal with quotes; no trigraphs, no raw bytes below 32.
std::string string_literal(std::string_view text);
/// A literal whose type is `long long` for integers; reals read back to the same bits.
std::string literal(const model::Value& value);
/// A literal of type `int` where it fits.
std::string real_literal(double value);
/// Text that is safe in a `//` comment: one line, no backslash at its end.
std::string comment_text(std::string_view text);

}  // namespace warptune::db::formats
