#pragma once

#include <string_view>

namespace warptune::db::formats::cpp_header {

/// The beginning of every exported header: types and functions that all kernels share. They are C++17 and
/// include nothing.
extern const std::string_view kHeaderSupport;

}  // namespace warptune::db::formats::cpp_header
