// Databases for nodes that publish what is new, and for readers who put these parts together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/measurement.h"

namespace warptune::db {

/// How often each row of a database was changed. Two readings differ if and only if rows were added, changed,
/// preferred or removed in between.
struct RowRevisions {
  std::map<std::int64_t, std::int64_t> measurements{};  ///< By id.
  std::map<std::int64_t, std::int64_t> sessions{};      ///< By id.

  bool operator==(const RowRevisions&) const = default;
};

/// Reads the revisions. Throws as `Store::open_existing` does.
RowRevisions row_revisions(const std::filesystem::path& database);

/// Makes the new database `target` with the measurements `ids` of `database`, and with `sessions` and nothing
/// else: no roofs and no deletions. A measurement of another session becomes one of the newest of `sessions`
/// with the same workload: this session has measured or judged it again. It is left out if there is none.
/// The number of each row is its id in `database` plus `first_number`, so it is the same row whenever it is
/// extracted. A later number means a later row.
///
/// Without `first_number`, merging `target` into a third database adds the same rows of `sessions` as merging
/// `database`. Throws `base::InputError` if `target` exists, and as `Store::merge` does; then there is no
/// `target`. The file is not flushed to the disk.
void extract_rows(const std::filesystem::path& database, const std::vector<std::int64_t>& ids,
                  const std::set<std::int64_t>& sessions, const std::filesystem::path& target,
                  std::int64_t first_number = 0);

/// The owner of all rows of a database that is not trusted. Whatever the database says, its rows get this
/// origin when they are merged (`Store::merge_owned`). So they can add to, change and prefer nothing but rows
/// of the same owner.
struct RowOwner {
  std::int64_t origin = 0;  ///< Becomes the origin of every session.
  /// Orders the rows of different owners. If several have measured a configuration, or have preferred rows of
  /// a workload, the owner with the larger number counts. 0 to `kMaxChoice`.
  std::int64_t choice = 0;
  /// Says in one sentence why rows of a workload cannot be the owner's; empty if they can. `is_measured`
  /// tells whether any of them was measured on a GPU. Called for every workload of the database.
  std::function<std::string(const model::Workload& workload, bool is_measured)> objection{};

  static constexpr std::int64_t kMaxChoice = std::int64_t{1} << 28;
  /// The rows of an owner have numbers up to `choice` times this. So whoever numbers rows from
  /// `first_number(choice)` has later rows than all owners before, whatever numbers these claim.
  static constexpr std::int64_t kNumbersPerChoice = std::int64_t{1} << 32;
  static constexpr std::int64_t first_number(std::int64_t choice) {
    return choice < 1 ? 0 : (std::min(choice, kMaxChoice) - 1) * kNumbersPerChoice;
  }
  /// An owner has as many choices of preferred rows for each workload.
  static constexpr std::int64_t kChoices = std::int64_t{1} << 20;
};

/// Replaces everything in the database `target` by what the database `source` has, in one transaction. Others
/// may read `target` meanwhile: they see the old content until all of the new one is there. `target` is made
/// if it is missing. Throws as the constructor of `Store` does; `target` is unchanged then.
void replace_content(const std::filesystem::path& target, const std::filesystem::path& source);

}  // namespace warptune::db
