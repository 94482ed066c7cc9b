#pragma once

#include <map>
#include <optional>
#include <string>

namespace warptune::db::formats {

/// Names of an expression -> the C++ that stands for them ("config.BLOCK").
using CppNames = std::map<std::string, std::string>;

/// Translates an expression that `model::Expression` has accepted into C++ over the exported header's
/// `Cell`s, which evaluate as the engine does. Nothing when it names what is not in `names`; `missing` is
/// that name then.
struct Translation {
  std::optional<std::string> code;
  std::string missing;
};
Translation constraint_to_cpp(const std::string& expression, const CppNames& names);

}  // namespace warptune::db::formats
