#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace warptune::kernel_templates {

/// The types of arguments.
enum class DataType { kF16, kBf16, kF32, kF64, kI8, kI16, kI32, kI64, kU8, kU16, kU32, kU64 };

struct DataTypeInfo {
  DataType type;
  std::string_view name;       ///< The name in definitions: "f32".
  std::string_view cuda_name;  ///< The name in CUDA C++: "float".
  std::size_t size_bytes;
  bool floating;
  bool is_signed;
};

/// All types, in the order of the enumeration.
const std::array<DataTypeInfo, 12>& data_types();
const DataTypeInfo& info(DataType type);
std::optional<DataType> parse_data_type(std::string_view name);

}  // namespace warptune::kernel_templates
