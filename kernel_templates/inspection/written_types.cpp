#include "kernel_templates/inspection/written_types.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace warptune::kernel_templates::inspection {

namespace {

constexpr std::array<WrittenType, 61> kWrittenTypes = {{{"float", "f32", 1},
                                                        {"double", "f64", 1},
                                                        {"__half", "f16", 1},
                                                        {"half", "f16", 1},
                                                        {"__nv_bfloat16", "bf16", 1},
                                                        {"nv_bfloat16", "bf16", 1},
                                                        {"bool", "u8", 1},
                                                        {"char", "i8", 1},
                                                        {"signed char", "i8", 1},
                                                        {"unsigned char", "u8", 1},
                                                        {"int8_t", "i8", 1},
                                                        {"uint8_t", "u8", 1},
                                                        {"short", "i16", 1},
                                                        {"unsigned short", "u16", 1},
                                                        {"int16_t", "i16", 1},
                                                        {"uint16_t", "u16", 1},
                                                        {"int", "i32", 1},
                                                        {"signed int", "i32", 1},
                                                        {"signed", "i32", 1},
                                                        {"unsigned", "u32", 1},
                                                        {"unsigned int", "u32", 1},
                                                        {"uint", "u32", 1},
                                                        {"int32_t", "i32", 1},
                                                        {"uint32_t", "u32", 1},
                                                        {"long", "i64", 1},
                                                        {"long long", "i64", 1},
                                                        {"long long int", "i64", 1},
                                                        {"long int", "i64", 1},
                                                        {"unsigned long", "u64", 1},
                                                        {"unsigned long long", "u64", 1},
                                                        {"unsigned long long int", "u64", 1},
                                                        {"int64_t", "i64", 1},
                                                        {"uint64_t", "u64", 1},
                                                        {"size_t", "u64", 1},
                                                        {"std::size_t", "u64", 1},
                                                        {"ptrdiff_t", "i64", 1},
                                                        {"float2", "f32", 2},
                                                        {"float3", "f32", 3},
                                                        {"float4", "f32", 4},
                                                        {"double2", "f64", 2},
                                                        {"int2", "i32", 2},
                                                        {"int4", "i32", 4},
                                                        {"uint2", "u32", 2},
                                                        {"uint4", "u32", 4},
                                                        {"half2", "f16", 2},
                                                        {"__half2", "f16", 2},
                                                        {"nv_bfloat162", "bf16", 2},
                                                        {"__nv_bfloat162", "bf16", 2},
                                                        {"double4", "f64", 4},
                                                        {"int3", "i32", 3},
                                                        {"uint3", "u32", 3},
                                                        {"longlong2", "i64", 2},
                                                        {"ulonglong2", "u64", 2},
                                                        {"char2", "i8", 2},
                                                        {"char4", "i8", 4},
                                                        {"uchar2", "u8", 2},
                                                        {"uchar4", "u8", 4},
                                                        {"short2", "i16", 2},
                                                        {"short4", "i16", 4},
                                                        {"ushort2", "u16", 2},
                                                        {"ushort4", "u16", 4}}};

}  // namespace

const WrittenType* written_type(std::string_view written) {
  const auto* found = std::find_if(kWrittenTypes.begin(), kWrittenTypes.end(),
                                   [&](const WrittenType& row) { return row.written == written; });
  return found == kWrittenTypes.end() ? nullptr : found;
}

bool is_size(const WrittenType& type) {
  return type.elements == 1 && type.type[0] != 'f' &&
         (type.type.ends_with("32") || type.type.ends_with("64"));
}

PointedType pointed_type(std::string_view pointer) {
  constexpr std::string_view kConst = "const";
  pointer.remove_suffix(1);
  PointedType pointee;
  if (pointer.starts_with("const ")) {
    pointer.remove_prefix(kConst.size() + 1);
    pointee.is_constant = true;
  }
  if (pointer.ends_with(kConst)) {
    pointer.remove_suffix(kConst.size());
    pointee.is_constant = true;
  }
  pointee.type = std::string(base::trim(pointer));
  return pointee;
}

}  // namespace warptune::kernel_templates::inspection
