// Selects and describes a kernel's winners for all export formats.
#pragma once

#include <string>
#include <vector>

#include "db/header_export.h"

namespace warptune::db::formats {

/// The winners that are exported: measured rows of the kernel's present hash, the fastest for each GPU and
/// problem. They are ordered by GPU name, GPU key and problem.
std::vector<const Winner*> exportable(const ExportInput& kernel);

/// Describes a winner for users: `NVIDIA H200, N=4096: median 4.59 ms [4.58 ms, 4.60 ms], 1.85x the default
/// (8.49 ms), ...`. The text also says if results were not compared with a reference (`has_check` is false),
/// or that the row is not confirmed (`is_unconfirmed`).
std::string evidence(const Winner& winner, bool has_check);

/// Whether exports must warn that the row was not confirmed (`db::is_confirmed`). Replayed rows need no
/// such warning, because they are marked as replayed anyway.
bool is_unconfirmed(const model::Measurement& best);

/// The first 8 digits of a kernel's hash if another kernel of the export has the same name; else empty.
std::string distinction(const ExportInput& kernel, const std::vector<ExportInput>& all);

/// The values of a configuration in the order of the kernel's parameters. Throws `base::InputError` if one is
/// missing.
std::vector<model::Value> in_order(const ExportInput& kernel, const model::NamedValues& configuration);

}  // namespace warptune::db::formats
