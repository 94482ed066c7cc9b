#include "kernel_templates/data_type.h"

namespace warptune::kernel_templates {

const std::array<DataTypeInfo, 12>& data_types() {
  static constexpr std::array<DataTypeInfo, 12> kTypes{{
      {DataType::kF16, "f16", "__half", 2, true, true},
      {DataType::kBf16, "bf16", "__nv_bfloat16", 2, true, true},
      {DataType::kF32, "f32", "float", 4, true, true},
      {DataType::kF64, "f64", "double", 8, true, true},
      {DataType::kI8, "i8", "signed char", 1, false, true},
      {DataType::kI16, "i16", "short", 2, false, true},
      {DataType::kI32, "i32", "int", 4, false, true},
      {DataType::kI64, "i64", "long long", 8, false, true},
      {DataType::kU8, "u8", "unsigned char", 1, false, false},
      {DataType::kU16, "u16", "unsigned short", 2, false, false},
      {DataType::kU32, "u32", "unsigned int", 4, false, false},
      {DataType::kU64, "u64", "unsigned long long", 8, false, false},
  }};
  return kTypes;
}

const DataTypeInfo& info(DataType type) { return data_types()[static_cast<std::size_t>(type)]; }

std::optional<DataType> parse_data_type(std::string_view name) {
  for (const DataTypeInfo& row : data_types()) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace warptune::kernel_templates
