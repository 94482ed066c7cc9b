#pragma once

#include <array>
#include <string>
#include <string_view>

namespace warptune::db::formats::cpp_header {

/// The parts of a kernel's namespace that are the same for all kernels.
extern const std::string_view kHeaderRow;
extern const std::string_view kHeaderSelection;
extern const std::string_view kHeaderDispatchComment;

/// The attributes of a GPU. Constraints use them with the prefix `device_`. They are members of the header's
/// `Device`.
extern const std::array<std::string, 8> kDeviceAttributes;

}  // namespace warptune::db::formats::cpp_header
