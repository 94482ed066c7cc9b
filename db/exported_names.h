#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "db/header_export.h"

namespace warptune::db {

/// What an exported C++ header calls the parts of one kernel, for text that builds on the header.
struct ExportedNames {
  std::string name_space;
  std::vector<const Winner*> rows;  ///< In the order of the header's `table`; borrowed.
  /// Maps the names of expressions to C++ over `config`, `problem` and `device`.
  std::map<std::string, std::string> members;
  /// The members of `Config` and `Problem`.
  std::vector<std::string> fields;
};
/// Returns the names for each kernel, in the order of `kernels`. These must outlive the result.
std::vector<ExportedNames> exported_names(const std::vector<ExportInput>& kernels);

/// Translates an expression into C++ that makes a `Cell` of the header, with the value that
/// `model::Expression` gives. Throws `base::InputError` if the expression uses a name that is not in
/// `members`.
std::string cell_text(const std::string& expression, const std::map<std::string, std::string>& members);

/// A string literal of C++ with its quotes.
std::string cpp_string(std::string_view text);
/// Makes text safe for a `//` comment.
std::string cpp_comment(std::string_view text);
/// Describes a row's measurement in one line for users. If `has_check` is false, the line says that results
/// were not compared with a reference.
std::string row_evidence(const Winner& winner, bool has_check);
/// The rows that an export has and that are not confirmed on new inputs. None if the definition has no check.
std::size_t count_unconfirmed(const ExportInput& kernel);

}  // namespace warptune::db
