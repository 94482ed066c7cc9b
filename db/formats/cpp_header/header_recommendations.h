// Writes what the definition of one kernel recommends as functions of an exported header.
#pragma once

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

/// Writes `recommended_count`, `is_recommended` and `can_launch`. `is_recommended(i, ...)` is the condition
/// of `fields.recommendations()[i]`. Where an attribute of the device is unknown, a condition that uses it
/// does not hold, and a limit that uses it is not checked.
void write_recommendations(const HeaderFields& fields, HeaderLines& out);

}  // namespace warptune::db::formats::cpp_header
