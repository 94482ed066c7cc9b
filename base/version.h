#pragma once

namespace warptune::base {

/// The version of the project. The build defines it.
constexpr const char* kVersion = WARPTUNE_VERSION;
/// The day on which the manual of this version was last reviewed, as manual pages show it.
constexpr const char* kManualDate = "2026-11-22";

}  // namespace warptune::base
