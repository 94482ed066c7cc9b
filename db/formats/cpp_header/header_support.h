#pragma once

#include <string_view>

namespace warptune::db::formats::cpp_header {

/// What every exported header starts with: the vocabulary that its kernels share, C++17 with no include.
extern const std::string_view kHeaderSupport;

}  // namespace warptune::db::formats::cpp_header
