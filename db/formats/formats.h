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

/// A self-contained C++17 header, deterministic text: per kernel a namespace with a constexpr table (an
/// evidence comment a row), `select(device, problem)` at run time with the match tier, a compile-time form,
/// `dispatch` over the distinct configurations, `static_assert`s for constraints, duplicates and the kernel
/// hash.
std::string write_header(const std::vector<ExportInput>& kernels);
std::string write_json(const std::vector<ExportInput>& kernels);
std::string write_defines(const std::vector<ExportInput>& kernels);
std::string write_t4(const std::vector<ExportInput>& kernels);

}  // namespace warptune::db::formats
