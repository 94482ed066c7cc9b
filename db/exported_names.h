#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "db/header_export.h"

namespace warptune::db {

/// The names in an exported C++ header for the parts of one kernel. Code that is written for the header uses
/// them.
struct ExportedNames {
  std::string name_space;
  std::vector<const Winner*> rows;  ///< In the order of the header's `table`; borrowed.
  /// Maps each name that an expression may use to C++ code, such as `config.BLOCK`, `problem.N` or
  /// `device.sm_count`.
  std::map<std::string, std::string> members;
  /// The members of `Config` and `Problem`.
  std::vector<std::string> fields;
  /// What the header recommends, in the order in which it follows the default in the `table`; borrowed.
  std::vector<const ExportedRecommendation*> recommendations{};
};
/// Returns the names for each kernel, in the order of `kernels`. These must outlive the result.
std::vector<ExportedNames> exported_names(const std::vector<ExportInput>& kernels);

/// Translates an expression into C++ code whose value has the header's type `Cell`. The code computes the
/// same value as `model::Expression`. Throws `base::InputError` if the expression uses a name that is not in
/// `members`, or a function that the header does not have.
std::string cell_text(const std::string& expression, const std::map<std::string, std::string>& members);

/// A string literal of C++ with its quotes.
std::string cpp_string(std::string_view text);
/// Makes text safe for a `//` comment.
std::string cpp_comment(std::string_view text);
/// Describes a row's measurement in one line for users. If `has_check` is false, the line says that the
/// kernel's results were not compared with a reference.
std::string row_evidence(const Winner& winner, bool has_check);
/// The number of exported rows that were not confirmed on new inputs. It is 0 if the definition has no check.
std::size_t count_unconfirmed(const ExportInput& kernel);

}  // namespace warptune::db
