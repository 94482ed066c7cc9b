#include <algorithm>

#include "tuner/checking/definition_check.h"

namespace warptune::tuner::checking {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kReference:
      return "reference";
    case Role::kDefault:
      return "default";
    case Role::kSample:
      return "sample";
  }
  return "";
}

std::size_t CheckReport::errors() const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.severity == kernel_templates::inspection::Severity::kError;
  }));
}

}  // namespace warptune::tuner::checking
