#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "db/detail/sqlite.h"
#include "search/renaming.h"
#include "search/value.h"

/// Rows of earlier versions of kernels, whose names become the present ones.
namespace warptune::db::detail {

/// A row of `subject` that can be carried over.
struct EarlierSubject {
  std::int64_t id = 0;
  std::int64_t kernel_id = 0;
  std::string kernel;
  search::NamedValues problem;                 ///< In the earlier names.
  const search::Renaming* renaming = nullptr;  ///< Of the list that was asked about.
};

/// Subjects whose machine code is the same in the later version, but of those to which somebody may be
/// writing right now.
std::vector<EarlierSubject> subjects_to_carry(Database& database,
                                              const std::vector<search::Renaming>& renamings);

/// Inside of a transaction. The rows go to the subject of the present names, which is made where there is
/// none, and the earlier one is removed. Returns how many measurements it had.
std::uint64_t carry_subject(Database& database, const EarlierSubject& subject);

}  // namespace warptune::db::detail
