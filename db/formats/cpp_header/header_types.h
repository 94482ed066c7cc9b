// Writes the types of one kernel's namespace in an exported header: enumerations, `Config` and `Problem`.
// Also writes `size_ratio`, the distance of two problems.
#pragma once

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

void write_types(const HeaderFields& fields, HeaderLines& out);

}  // namespace warptune::db::formats::cpp_header
