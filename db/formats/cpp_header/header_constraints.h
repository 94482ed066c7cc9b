// Writes the constraints of one kernel as functions of an exported header.
#pragma once

#include <string>
#include <vector>

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

/// Writes `constraint_0`, `constraint_1`, ... and `is_valid`. Returns the text of each constraint, so that a
/// `static_assert` can name it. If a constraint uses a name or a function that the header does not have, a
/// comment takes its place.
std::vector<std::string> write_constraints(const HeaderFields& fields, HeaderLines& out);

}  // namespace warptune::db::formats::cpp_header
