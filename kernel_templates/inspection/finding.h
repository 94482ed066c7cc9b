#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace warptune::kernel_templates::inspection {

enum class Severity {
  kError,   ///< The definition cannot be tuned, or its results would be wrong.
  kWarning  ///< It can be tuned, but it probably does not say what was meant.
};

/// What an inspection of a definition found, at a position in the definition.
struct Finding {
  Severity severity = Severity::kError;
  base::SourcePosition position;
  std::string message;

  bool operator==(const Finding&) const = default;
};

using Findings = std::vector<Finding>;

}  // namespace warptune::kernel_templates::inspection
