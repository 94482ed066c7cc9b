#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "search/parameter.h"

namespace warptune::db {

/// What an export is made of: one kernel with its winners.
struct ExportInput {
  std::string kernel;
  std::string kernel_hash;
  std::vector<search::Parameter> parameters;
  std::vector<search::Constraint> constraints;
  search::NamedValues problem;  ///< The definition's entries with their defaults: names and types of the key.
  search::NamedValues default_configuration;
  std::vector<Winner> winners;
};

/// One row of the table of export formats.
struct ExportFormat {
  std::string_view name;  ///< header, json, defines, t4
  std::string_view summary;
  std::string (*write)(const std::vector<ExportInput>& kernels);
};
const std::vector<ExportFormat>& export_formats();

/// A self-contained C++17 header, deterministic text: per kernel a namespace with a constexpr table (an
/// evidence comment a row), `select(device, problem)` at run time with the match tier, a compile-time form,
/// `dispatch` over the distinct configurations, `static_assert`s for constraints, duplicates and the kernel
/// hash.
std::string write_header(const std::vector<ExportInput>& kernels);

}  // namespace warptune::db
