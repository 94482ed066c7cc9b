// The one list of export formats.
#pragma once

#include "db/header_export.h"

// In the order in which they are listed to people: a line here and the function NAME_format() in a file of
// this folder are an export format. A line without its function does not link; a function without its line
// fails a test.
#define WARPTUNE_EXPORT_FORMATS(FORMAT) \
  FORMAT(header)                        \
  FORMAT(json)                          \
  FORMAT(defines)                       \
  FORMAT(t4)

namespace warptune::db::formats {

#define WARPTUNE_DECLARED(name) ExportFormat name##_format();
WARPTUNE_EXPORT_FORMATS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::db::formats
