#pragma once

#include <map>
#include <optional>
#include <string>

namespace warptune::db::formats {

/// Maps the names of an expression to the C++ text that replaces them ("config.BLOCK").
using CppNames = std::map<std::string, std::string>;

/// The result of `constraint_to_cpp`.
struct Translation {
  std::optional<std::string> code;  ///< No value if the header lacks a name or a function.
  std::string missing;              ///< The first name or function that the header lacks.
};
/// Translates an expression into C++ code that computes with the type `Cell` of the exported header. The code
/// gives exactly the result of `model::Expression`, which must have accepted the expression.
Translation constraint_to_cpp(const std::string& expression, const CppNames& names);

}  // namespace warptune::db::formats
