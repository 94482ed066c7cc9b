// A batch is made in three steps. The revisions of all rows are compared with those that were published. The
// rows that differ are written into a database of their own. That file is compressed. What was published is
// noted only when the batch is made. So a failure in between loses nothing: the next batch holds the same
// rows again.
#include "fleet/rows/row_batch.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/streams/zstd_text.h"
#include "db/row_extract.h"

namespace warptune::fleet::rows {

namespace fs = std::filesystem;

namespace {

constexpr int kBatchLevel =
    3;  // zstd's usual level: batches are written every few seconds, beside the session.

// A temporary database. The file and what SQLite makes beside it are removed at the end.
class ScratchDatabase {
 public:
  explicit ScratchDatabase(const fs::path& folder)
      : path_(folder / fmt::format("batch-{}.db", base::hash_hex(base::random_bytes(16)))) {}
  ScratchDatabase(const ScratchDatabase&) = delete;
  ScratchDatabase& operator=(const ScratchDatabase&) = delete;
  ~ScratchDatabase() {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(path_.string() + suffix, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::vector<std::int64_t> changed_rows(const std::map<std::int64_t, std::int64_t>& before,
                                       const std::map<std::int64_t, std::int64_t>& now) {
  std::vector<std::int64_t> changed;
  for (const auto& [id, revision] : now) {
    const auto known = before.find(id);
    if (known == before.end() || known->second != revision) changed.push_back(id);
  }
  return changed;
}

std::string batch_of(const fs::path& database, const std::vector<std::int64_t>& rows,
                     const fs::path& scratch) {
  const ScratchDatabase extracted(scratch);
  db::extract_rows(database, rows, extracted.path());
  return base::streams::zstd_compress(base::read_file(extracted.path()), kBatchLevel);
}

}  // namespace

std::string whole_batch(const fs::path& database, const fs::path& scratch) {
  return batch_of(database, changed_rows({}, db::row_revisions(database).measurements), scratch);
}

BatchWriter::BatchWriter(fs::path database, fs::path scratch)
    : database_(std::move(database)), scratch_(std::move(scratch)) {
  if (db::Store::exists(database_)) published_ = db::row_revisions(database_);
}

std::optional<std::string> BatchWriter::next() {
  if (!db::Store::exists(database_)) return std::nullopt;  // The session has not begun.
  db::RowRevisions now = db::row_revisions(database_);
  if (now == published_) return std::nullopt;
  const std::vector<std::int64_t> changed = changed_rows(published_.measurements, now.measurements);
  std::string bytes = batch_of(database_, changed, scratch_);
  published_ = std::move(now);
  rows_ += changed.size();
  return bytes;
}

db::MergeCounts merge_batch(db::Store& store, std::string_view bytes, const fs::path& scratch) {
  const ScratchDatabase unpacked(scratch);
  std::string content;
  base::streams::zstd_decompress(bytes, "batch", "batch of rows", [&](std::string_view piece) {
    content += piece;
    if (content.size() > kMaxBatchBytes)
      throw base::InputError(fmt::format("a batch of rows has more than {} MiB", kMaxBatchBytes >> 20));
  });
  base::write_file_atomically(unpacked.path(), content);
  try {
    db::leave_out_deletions(unpacked.path());
    return store.merge(unpacked.path());
  } catch (const base::InternalError& error) {  // A value of another type, for example.
    throw base::InputError(fmt::format("damaged batch of rows: {}", error.message()));
  }
}

}  // namespace warptune::fleet::rows
