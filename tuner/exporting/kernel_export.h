#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "db/header_export.h"
#include "kernel_templates/kernel_definition.h"
#include "tuner/covers/stored_cover.h"

namespace warptune::tuner::exporting {

/// One kernel to export: its winners and its definition.
struct KernelExport {
  db::ExportInput input;
  kernel_templates::KernelDefinition definition;
  std::vector<covers::DerivedCover> covers{};  ///< Only for a format with `from_covers`.
};

/// A format that `warptune export` can write.
struct ExportFormat {
  std::string name;
  std::string summary;
  /// Returns the whole file. Throws `base::InputError` if a kernel cannot be exported in this format.
  std::function<std::string(const std::vector<KernelExport>&)> write;
  /// Whether the file itself chooses a configuration. It does not know which results were imported.
  bool chooses = false;
  bool from_covers = false;  ///< Whether it writes covers, not winners.
};

/// All formats, in the order in which help lists them.
const std::vector<ExportFormat>& export_formats();

}  // namespace warptune::tuner::exporting
