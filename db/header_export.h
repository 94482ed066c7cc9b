#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/parameter.h"

namespace warptune::db {

/// A configuration that the definition recommends (`[[recommended]]`).
struct ExportedRecommendation {
  std::string when;           ///< The condition: an expression of the problem and the GPU.
  model::NamedValues values;  ///< One for each parameter.
  /// An expression of the problem and the GPU; lower is better. Recommendations that follow each other and
  /// all have a cost are a group, of which the cheapest that holds is preferred.
  std::optional<std::string> cost{};
};

/// One kernel to export, with its winners.
struct ExportInput {
  std::string kernel;
  std::string kernel_hash;
  std::vector<model::Parameter> parameters;
  std::vector<model::Constraint> constraints;
  model::NamedValues problem;  ///< The definition's problem entries with their default values.
  model::NamedValues default_configuration;
  std::vector<Winner> winners;
  bool has_check = true;  ///< The definition compares results with a reference.
  /// Returns the compiler options that a configuration needs for a problem on a GPU, in addition to the
  /// macros of its parameters. An empty function means that there are none.
  std::function<std::vector<std::string>(const model::NamedValues& problem, const model::GpuDescription& gpu,
                                         const model::NamedValues& configuration)>
      further_options{};
  /// What a file that chooses a configuration itself takes for problems that were not measured. The first one
  /// whose condition holds is recommended, or the cheapest one of a group with costs.
  std::vector<ExportedRecommendation> recommendations{};
  /// Conditions on a configuration, a problem and a GPU without which a recommended one cannot be launched.
  std::vector<std::string> launch_limits{};
};

/// A format that `warptune export` can write. `export_formats()` has all of them except `json`, in the order
/// in which the help lists them. The code for `json` is in `tuner/json_output`, with the other JSON outputs.
struct ExportFormat {
  std::string_view name;  ///< Such as `header`.
  std::string_view summary;
  /// Returns the whole file.
  std::string (*write)(const std::vector<ExportInput>& kernels);
};
const std::vector<ExportFormat>& export_formats();

}  // namespace warptune::db
