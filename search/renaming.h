#pragma once

#include <optional>
#include <string>
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
  /// Where it holds, over the earlier names of the problem and the configuration, both versions are the same
  /// machine code launched in the same way. Nothing: nowhere.
  std::optional<Expression> identical;

  /// A problem or a configuration in the later names, in the same order.
  NamedValues renamed(NamedValues values) const;
  /// A name in the later version.
  std::string renamed(const std::string& name) const;
  /// An expression that does not evaluate holds nowhere.
  bool is_identical(const NamedValues& problem, const NamedValues& configuration) const;
  /// From the later version to the earlier one; `identical` is left out.
  Renaming reversed() const;
};

}  // namespace warptune::search
