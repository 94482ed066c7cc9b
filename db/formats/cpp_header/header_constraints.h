// The constraints of one kernel as functions of an exported header.
#pragma once

#include <string>
#include <vector>

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

/// Writes `constraint_0`, `constraint_1`, ... and `is_valid`. Returns what each says, to be checked for every
/// row; constraints with names that a header does not know become comments.
std::vector<std::string> write_constraints(const HeaderFields& fields, HeaderLines& out);

}  // namespace warptune::db::formats::cpp_header
