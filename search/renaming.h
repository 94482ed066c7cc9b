#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "search/expression.h"
#include "search/value.h"

namespace warptune::search {

/// A parameter or problem entry of an earlier version of a kernel definition, and what it is called now.
struct RenamedName {
  std::string before;
  std::string after;
  std::vector<std::pair<std::string, std::string>> values;  ///< Texts it may hold: before, after.
};

/// How an earlier version of a kernel definition differs in its names from a later one.
struct Renaming {
  std::string kernel;
  std::string before;              ///< The earlier definition's hash.
  std::string after;               ///< The later one's.
  std::vector<RenamedName> names;  ///< What is not listed is called the same.
  /// For which problems, in the earlier names, both versions are the same machine code launched in the same
  /// way. Nothing: for none.
  std::optional<Expression> identical;

  /// A problem or a configuration in the later names, in the same order.
  NamedValues renamed(NamedValues values) const;
  /// A name in the later version.
  std::string renamed(const std::string& name) const;
  /// Of a problem in the earlier names. A condition that does not evaluate does not hold.
  bool is_identical(const NamedValues& problem) const;
  /// From the later version to the earlier one; `identical` is left out.
  Renaming reversed() const;
};

/// The renaming of the version with this hash, or null.
const Renaming* find_renaming(const std::vector<Renaming>& renamings, std::string_view hash);

}  // namespace warptune::search
