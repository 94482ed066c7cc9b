#pragma once

#include <array>
#include <string>
#include <string_view>

namespace warptune::db::formats::cpp_header {

/// The texts in a kernel's namespace that are the same for all kernels.
extern const std::string_view kHeaderRow;
extern const std::string_view kHeaderRowSelection;
extern const std::string_view kHeaderSelection;
extern const std::string_view kHeaderDispatchComment;

/// The function `recommendation_for` where nothing that is recommended has a cost.
extern const std::string_view kHeaderFirstRecommendation;
/// The same, with the function `is_preferred`, where something has a cost.
extern const std::string_view kHeaderCheapestRecommendation;

/// The attributes of a GPU that constraints may use, with the prefix `device_`. Each is a member of the
/// header's `Device`.
extern const std::array<std::string, 9> kDeviceAttributes;

}  // namespace warptune::db::formats::cpp_header
