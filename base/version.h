#pragma once

namespace warptune::base {

/// The version of the project. The build defines it.
constexpr const char* kVersion = WARPTUNE_VERSION;

}  // namespace warptune::base
