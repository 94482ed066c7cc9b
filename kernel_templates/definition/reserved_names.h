#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace warptune::kernel_templates::definition {

/// What a name means already to CUDA C++, such as "a keyword of C++", or std::nullopt if it is free. Such a
/// name cannot be a macro: the headers and the source use it.
std::optional<std::string> reserved_meaning(std::string_view name);

}  // namespace warptune::kernel_templates::definition
