#pragma once

#include <map>
#include <optional>
#include <string>

namespace warptune::db::formats {

/// Maps the names of an expression to the C++ text that replaces them ("config.BLOCK").
using CppNames = std::map<std::string, std::string>;

/// The result of `constraint_to_cpp`.
struct Translation {
  std::optional<std::string> code;  ///< No value if the expression uses a name that is not in the map.
  std::string missing;              ///< The name that is not in the map.
};
/// Translates an expression into C++ over the `Cell`s of the exported header. These evaluate exactly as
/// `model::Expression` does, which must have accepted the expression.
Translation constraint_to_cpp(const std::string& expression, const CppNames& names);

}  // namespace warptune::db::formats
