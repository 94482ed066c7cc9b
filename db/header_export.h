#pragma once

#include <string>
#include <vector>

#include "db/store.h"
#include "model/parameter.h"

namespace warptune::db {

/// One kernel to export, with its winners.
struct ExportInput {
  std::string kernel;
  std::string kernel_hash;
  std::vector<model::Parameter> parameters;
  std::vector<model::Constraint> constraints;
  model::NamedValues problem;  ///< The entries of the definition with their defaults. They give the names and
                               ///< types of the key.
  model::NamedValues default_configuration;
  std::vector<Winner> winners;
};

/// A format that `warptune export` can write.
struct ExportFormat {
  std::string_view name;  ///< `header`, `json`, `defines` or `t4`.
  std::string_view summary;
  std::string (*write)(const std::vector<ExportInput>& kernels);
};
const std::vector<ExportFormat>& export_formats();

}  // namespace warptune::db
