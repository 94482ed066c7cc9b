// The types of C++ that sources write, as data types of definitions.
#pragma once

#include <string>
#include <string_view>

namespace warptune::kernel_templates::inspection {

/// A type of C++ and its data type.
struct WrittenType {
  std::string_view written;  ///< As sources or demangled symbols write it: "unsigned int".
  std::string_view type;     ///< As in definitions: "u32".
  int elements;              ///< More than 1 for a vector type.
};

/// Null for a type that is not known.
const WrittenType* written_type(std::string_view written);

/// Whether a value of the type may be a size: an integer of 32 bits or more.
bool is_size(const WrittenType& type);

/// The type to which a pointer points.
struct PointedType {
  std::string type;  ///< Without `const`.
  bool is_constant = false;
};
/// `pointer` ends with `*`.
PointedType pointed_type(std::string_view pointer);

}  // namespace warptune::kernel_templates::inspection
