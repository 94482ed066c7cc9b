#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/expression.h"
#include "model/value.h"

namespace warptune::model {

/// The old and the new name of a parameter or problem entry.
struct RenamedName {
  std::string before;
  std::string after;
  std::vector<std::pair<std::string, std::string>> values;  ///< Pairs of the old and the new text of a value.
};

/// The differences in names and parameters between an earlier and a later version of a kernel definition.
struct Renaming {
  std::string kernel;
  std::string before;              ///< The hash of the earlier definition.
  std::string after;               ///< The hash of the later definition.
  std::vector<RenamedName> names;  ///< A name that is not listed is the same in both.
  /// The condition under which both versions launch the same machine code in the same way. It uses the
  /// earlier names of problem entries. Without a condition the versions differ for every problem.
  std::optional<Expression> identical;
  /// Parameters of the later version alone, each with the value at which that version does what the earlier
  /// one did.
  NamedValues added = {};

  /// Returns a problem with the later names, in the same order.
  NamedValues renamed(NamedValues values) const;
  /// Returns a configuration with the later names, in the same order, and then the added parameters.
  NamedValues renamed_configuration(NamedValues values) const;
  /// Returns the later name.
  std::string renamed(const std::string& name) const;
  /// `problem` has the earlier names. A condition that cannot be evaluated does not hold.
  bool is_identical(const NamedValues& problem) const;
  /// Returns the renaming from the later version to the earlier one, without `identical` and `added`.
  Renaming reversed() const;
};

/// Returns the renaming of the version with this hash, or null.
const Renaming* find_renaming(const std::vector<Renaming>& renamings, std::string_view hash);

}  // namespace warptune::model
