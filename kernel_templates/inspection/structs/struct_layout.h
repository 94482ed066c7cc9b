// The structs of a source, for parameters that are passed by value and for buffers of structs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warptune::kernel_templates::inspection::structs {

/// A number or a pointer in a struct. An element of an array or of a vector type is a member of its own.
struct StructMember {
  std::string type;      ///< As sources write it: `float`, `const float*`.
  std::string name;      ///< `weights_2` for the element 2 of an array `weights`.
  std::uint32_t at = 0;  ///< Its place, in bytes.
};

struct StructLayout {
  std::vector<StructMember> members;
  std::uint32_t bytes = 0;  ///< With padding.
};

/// Whether a member is a pointer.
bool has_pointers(const StructLayout& layout);

/// The layout of the struct `type` that a text defines, by the rules of C++ for 64-bit targets: each member
/// is aligned to its size. It may have numbers, pointers to objects, vector types of CUDA, and arrays of
/// these with a literal length. Returns std::nullopt if it has anything else: functions, base classes, other
/// structs, bit fields, an alignment of its own, preprocessor lines. Returns std::nullopt, too, if the text
/// does not define it exactly once. `type` may have `struct`, `const` and namespaces before the name. They
/// are left out.
std::optional<StructLayout> struct_layout(std::string_view code, std::string_view type);

}  // namespace warptune::kernel_templates::inspection::structs
