#include "db/header_export.h"

#include "db/formats/formats.h"

namespace warptune::db {

const std::vector<ExportFormat>& export_formats() {
  static const std::vector<ExportFormat> formats = {
      {"header", "C++17 header with run-time and compile-time selection", formats::write_header},
      {"json", "winners with their evidence", formats::write_json},
      {"defines", "compiler options -DNAME=VALUE, one line a winner", formats::write_defines},
      {"t4", "T4 results 1.1.0 of the auto-tuning community", formats::write_t4}};
  return formats;
}

}  // namespace warptune::db
