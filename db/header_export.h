#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "model/parameter.h"

namespace warptune::db {

/// What an export is made of: one kernel with its winners.
struct ExportInput {
  std::string kernel;
  std::string kernel_hash;
  std::vector<model::Parameter> parameters;
  std::vector<model::Constraint> constraints;
  model::NamedValues problem;  ///< The definition's entries with their defaults: names and types of the key.
  model::NamedValues default_configuration;
  std::vector<Winner> winners;
};

/// One row of the table of export formats.
struct ExportFormat {
  std::string_view name;  ///< header, json, defines, t4
  std::string_view summary;
  std::string (*write)(const std::vector<ExportInput>& kernels);
};
const std::vector<ExportFormat>& export_formats();

}  // namespace warptune::db
