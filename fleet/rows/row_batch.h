// The rows that a node publishes: what is new in its local database since the last batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "db/row_extract.h"
#include "db/store.h"
#include "fleet/fleet_store.h"

namespace warptune::fleet::rows {

/// The maximum size of a batch without compression. A node may be somebody else's, so its batches are not
/// trusted.
constexpr std::size_t kMaxBatchBytes = std::size_t{1} << 29;

/// Makes batches from the local database of one attempt, which grows. Each batch holds what the attempt has
/// added or changed since the batch before: rows of the sessions that began after the writer was made. If it
/// has changed a row of an earlier attempt (by timing it again, or by rejecting it), the batch holds this row
/// as one of its own session. A batch is a database of its own, compressed by zstd. Batches may be merged in
/// any order and any number of times.
class BatchWriter {
 public:
  /// What `database` holds now comes from other attempts, and is not published. Beside it, a file notes what
  /// that is, and the series of the batches. `scratch` is a folder for temporary files. `fence` is that of
  /// the attempt's lease: its rows are later than those of all attempts with smaller fences. Throws
  /// `base::MachineError` if the file cannot be written.
  BatchWriter(const std::filesystem::path& database, std::filesystem::path scratch, std::uint64_t fence = 1);
  /// A writer for the database of an attempt whose process was killed. Its first batch holds all rows of the
  /// attempt, and has a number after those of all others. std::nullopt if no writer was made for the
  /// database.
  static std::optional<BatchWriter> recovered(const std::filesystem::path& database,
                                              const std::filesystem::path& scratch, std::uint64_t fence = 1);

  /// The next batch, or std::nullopt if nothing has changed. Other connections may write meanwhile. Throws as
  /// `db::extract_rows` does; the next call makes the same batch again.
  std::optional<std::string> next();
  /// The number of the batch that `next` has made last, for its name (`BatchName::sequence`).
  std::uint64_t sequence() const { return sequence_; }
  /// How many rows the batches had together; a row that changed counts again.
  std::uint64_t rows() const { return rows_; }

 private:
  BatchWriter(std::filesystem::path database, std::filesystem::path scratch, std::uint64_t fence,
              db::RowRevisions begun, std::uint64_t series);
  std::string batch_of(const std::vector<std::int64_t>& rows, const std::set<std::int64_t>& sessions) const;

  std::filesystem::path database_;
  std::filesystem::path scratch_;
  std::int64_t first_number_ = 0;
  db::RowRevisions begun_{};      ///< When the first writer was made.
  db::RowRevisions published_{};  ///< At the last batch.
  std::uint64_t next_sequence_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t rows_ = 0;
};

/// A batch in messages: `batch 3 of task 1 of nightly, by node a,`.
std::string describe(const BatchName& name);

/// Merges a batch into a database (`db::Store::merge_owned`). All of its rows become the owner's, and nothing
/// of other owners changes. Throws `base::InputError` with one sentence if the batch is damaged, of another
/// version, has what its owner may not have, or needs more memory than there is. Nothing is merged then.
db::MergeCounts merge_batch(db::Store& store, std::string_view bytes, const db::RowOwner& owner);

}  // namespace warptune::fleet::rows
