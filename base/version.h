#pragma once

namespace warptune::base {

/// The project's version; the build defines it.
constexpr const char* kVersion = WARPTUNE_VERSION;

}  // namespace warptune::base
