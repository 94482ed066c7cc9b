#include <algorithm>

#include "tuner/checking/definition_check.h"

namespace warptune::tuner::checking {

std::string_view to_string(Role role) {
  switch (role) {
    case Role::kReference:
      return "reference";
    case Role::kDefault:
      return "default";
    case Role::kRecommended:
      return "recommended";
    case Role::kSample:
      return "sample";
  }
  return "";
}

const char* described(Role role) {
  switch (role) {
    case Role::kReference:
      return "the reference of [check]";
    case Role::kDefault:
      return "the default configuration";
    case Role::kRecommended:
      return "the recommended configuration";
    case Role::kSample:
      break;
  }
  return "the configuration";
}

std::size_t CheckReport::errors() const {
  return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding.severity == kernel_templates::inspection::Severity::kError;
  }));
}

}  // namespace warptune::tuner::checking
