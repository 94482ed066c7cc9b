#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "model/value.h"

namespace warptune::model {

/// Reads an integer with a suffix: `8k`, `8K` and `8Ki` are 8192, and `M`, `Mi`, `G`, `Gi` are powers of
/// 1024, too. A fraction is allowed where the result is an integer: `1.5k` is 1536. Returns std::nullopt for
/// any other text, also for one without a suffix.
std::optional<std::int64_t> parse_size(std::string_view text);

/// The size that a user gave for an entry of a problem, in the type of `declared`. Only an integer can have a
/// suffix. Returns std::nullopt if the type does not fit.
std::optional<Value> size_like(const Value& given, const Value& declared);

/// Whether the size that a user gave means the value of a problem's entry.
bool is_size(const Value& given, const Value& value);

}  // namespace warptune::model
