// Writes what the definition of one kernel recommends as functions of an exported header.
#pragma once

#include <string_view>

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

/// Writes `recommended_count`, `is_recommended` and `can_launch`. `is_recommended(i, ...)` is the condition
/// of `fields.recommendations()[i]`. Where an attribute of the device is unknown, a condition that uses it
/// does not hold, and a limit that uses it is not checked. If one of them has a cost, `recommended_cost` and
/// `recommended_group` are written, too. `is_recommended` is then false where the cost cannot be computed.
void write_recommendations(const HeaderFields& fields, HeaderLines& out);

/// The function `recommendation_for` of a header, which walks through what is recommended in the order of
/// preference.
std::string_view recommendation_walk(const HeaderFields& fields);

}  // namespace warptune::db::formats::cpp_header
