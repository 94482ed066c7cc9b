// The rows that a node publishes: what is new in its local database since the last batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "db/row_extract.h"
#include "db/store.h"

namespace warptune::fleet::rows {

/// The maximum size of a batch without compression. A node may be somebody else's, so its batches are not
/// trusted.
constexpr std::size_t kMaxBatchBytes = std::size_t{1} << 30;

/// Makes batches from a local database that grows. Each batch holds the rows that were added or changed since
/// the batch before, and all sessions and roofs of the database. A batch is a database of its own, compressed
/// by zstd. Batches may be merged in any order and any number of times.
class BatchWriter {
 public:
  /// `database` is the local database of one attempt. Rows that it holds now are not published: they come
  /// from other attempts. `scratch` is a folder for temporary files.
  BatchWriter(std::filesystem::path database, std::filesystem::path scratch);

  /// The next batch, or std::nullopt if no row has changed. Other connections may write meanwhile.
  std::optional<std::string> next();
  /// How many rows the batches had together; a row that changed counts again.
  std::uint64_t rows() const { return rows_; }

 private:
  std::filesystem::path database_;
  std::filesystem::path scratch_;
  db::RowRevisions published_{};
  std::uint64_t rows_ = 0;
};

/// The batch of all rows of a database. Throws as `db::extract_rows` does.
std::string whole_batch(const std::filesystem::path& database, const std::filesystem::path& scratch);

/// Merges a batch into a database (`db::Store::merge`). Its deletions are left out: a node says what it
/// measured, and removes nothing. Throws `base::InputError` if the bytes are damaged or have another version
/// of the schema, and `base::MachineError` if a file in `scratch` cannot be written. Nothing is merged then.
db::MergeCounts merge_batch(db::Store& store, std::string_view bytes, const std::filesystem::path& scratch);

}  // namespace warptune::fleet::rows
