#include "db/header_export.h"

#include "db/formats/format_list.h"

namespace warptune::db {

const std::vector<ExportFormat>& export_formats() {
// Each format of the list becomes a call of its function, which returns the format.
#define WARPTUNE_MADE(name) formats::name##_format(),
  static const std::vector<ExportFormat> all = {WARPTUNE_EXPORT_FORMATS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return all;
}

}  // namespace warptune::db
