// The winners of a kernel as every export format takes them.
#pragma once

#include <string>
#include <vector>

#include "db/header_export.h"

namespace warptune::db::formats {

/// The winners that may be exported: of the kernel's hash, measured, one for each GPU and problem (the
/// fastest), by GPU name, GPU key and problem.
std::vector<const Winner*> exportable(const ExportInput& kernel);

/// For people: `NVIDIA H200, N=4096: median 4.59 ms [4.58 ms, 4.60 ms], 1.85x the default (8.49 ms), ...`.
std::string evidence(const Winner& winner);

/// A configuration's values in the order of the kernel's parameters; throws `base::InputError` when one is
/// missing.
std::vector<model::Value> in_order(const ExportInput& kernel, const model::NamedValues& configuration);

}  // namespace warptune::db::formats
