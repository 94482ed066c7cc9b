// Writes the types of one kernel's namespace in an exported header: enumerations, `Config`, `Problem` and
// their distance.
#pragma once

#include "db/formats/cpp_header/header_fields.h"
#include "db/formats/cpp_header/header_lines.h"

namespace warptune::db::formats::cpp_header {

void write_types(const HeaderFields& fields, HeaderLines& out);

}  // namespace warptune::db::formats::cpp_header
