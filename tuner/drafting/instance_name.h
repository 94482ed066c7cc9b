// The name of a captured kernel, in its parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::drafting {

/// What a demangled name says about a kernel.
struct InstanceName {
  std::string qualified;                        ///< With named namespaces: `linear::scale`.
  std::string function;                         ///< The name alone: `scale`.
  std::vector<std::string> template_arguments;  ///< As the demangler writes them: `float`, `256`.
};

/// Reads a name such as `void linear::scale<float, 256>(float const*, int)`.
InstanceName instance_name(std::string_view demangled);

}  // namespace warptune::tuner::drafting
