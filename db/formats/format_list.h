// The one list of export formats.
#pragma once

#include "db/header_export.h"

// The export formats in the order in which users see them. A format is a line here and the function
// NAME_format() in a file of this folder. A line without its function does not link. A function without its
// line makes a test fail.
#define WARPTUNE_EXPORT_FORMATS(FORMAT) \
  FORMAT(header)                        \
  FORMAT(defines)                       \
  FORMAT(snapshot)                      \
  FORMAT(t4)

namespace warptune::db::formats {

#define WARPTUNE_DECLARED(name) ExportFormat name##_format();
WARPTUNE_EXPORT_FORMATS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::db::formats
