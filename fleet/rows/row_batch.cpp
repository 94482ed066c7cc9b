// A batch is made in three steps. The revisions of all rows are compared with those that were published. The
// rows that differ are written into a database of their own. That file is compressed. What was published is
// noted only when the batch is made. So a failure in between loses nothing: the next batch holds the same
// rows again.
#include "fleet/rows/row_batch.h"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <new>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/random.h"
#include "base/streams/zstd_text.h"

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

// A batch of rows that were left by a killed process has this number. No process makes as many batches.
constexpr std::uint64_t kRecovered = 1'000'000;
static_assert(kRecovered < BatchName::kBatchesPerSeries);
// A double holds all numbers of batches exactly.
constexpr std::uint64_t kMaxSeries = std::uint64_t{1} << 32;

// What a database held when the attempt began, and the series of its batches, as a text beside it: lines
// `a SERIES 0`, `m ID REVISION` and `s ID REVISION`.
fs::path begun_file(const fs::path& database) { return database.string() + ".begun"; }

std::string text_of(const db::RowRevisions& revisions, std::uint64_t series) {
  std::string text = fmt::format("a {} 0\n", series);
  for (const auto& [id, revision] : revisions.measurements) text += fmt::format("m {} {}\n", id, revision);
  for (const auto& [id, revision] : revisions.sessions) text += fmt::format("s {} {}\n", id, revision);
  return text;
}

struct Begun {
  db::RowRevisions revisions;
  std::uint64_t series = 0;
};

Begun begun_in(const std::string& text) {
  Begun begun;
  std::istringstream lines(text);
  char kind = 0;
  std::int64_t id = 0;
  std::int64_t revision = 0;
  while (lines >> kind >> id >> revision) {
    if (kind == 'a')
      begun.series = static_cast<std::uint64_t>(id);
    else
      (kind == 's' ? begun.revisions.sessions : begun.revisions.measurements)[id] = revision;
  }
  return begun;
}

std::uint64_t new_series() { return 1 + base::Random(base::unforeseen_seed()).below(kMaxSeries - 1); }

}  // namespace

BatchWriter::BatchWriter(fs::path database, fs::path scratch, std::uint64_t fence, db::RowRevisions begun,
                         std::uint64_t series)
    : database_(std::move(database)),
      scratch_(std::move(scratch)),
      first_number_(db::RowOwner::first_number(static_cast<std::int64_t>(fence))),
      begun_(std::move(begun)),
      published_(begun_),
      next_sequence_(series * BatchName::kBatchesPerSeries) {}

BatchWriter::BatchWriter(const fs::path& database, fs::path scratch, std::uint64_t fence)
    : BatchWriter(database, std::move(scratch), fence,
                  db::Store::exists(database) ? db::row_revisions(database) : db::RowRevisions{},
                  new_series()) {
  base::write_file_atomically(begun_file(database_),
                              text_of(begun_, next_sequence_ / BatchName::kBatchesPerSeries));
}

std::optional<BatchWriter> BatchWriter::recovered(const fs::path& database, const fs::path& scratch,
                                                  std::uint64_t fence) {
  std::error_code ignored;
  if (!fs::exists(begun_file(database), ignored)) return std::nullopt;
  Begun begun = begun_in(base::read_file(begun_file(database)));
  BatchWriter writer(database, scratch, fence, std::move(begun.revisions), begun.series);
  writer.next_sequence_ += kRecovered;
  return writer;
}

std::string BatchWriter::batch_of(const std::vector<std::int64_t>& rows,
                                  const std::set<std::int64_t>& sessions) const {
  const ScratchDatabase extracted(scratch_);
  db::extract_rows(database_, rows, sessions, extracted.path(), first_number_);
  return base::streams::zstd_compress(base::read_file(extracted.path()), kBatchLevel);
}

std::optional<std::string> BatchWriter::next() {
  if (!db::Store::exists(database_)) return std::nullopt;  // The session has not begun.
  db::RowRevisions now = db::row_revisions(database_);
  std::set<std::int64_t> sessions;
  bool changed_session = false;
  for (const auto& [id, revision] : now.sessions) {
    if (begun_.sessions.contains(id)) continue;
    sessions.insert(id);
    const auto known = published_.sessions.find(id);
    changed_session = changed_session || known == published_.sessions.end() || known->second != revision;
  }
  if (sessions.empty()) return std::nullopt;  // Rows that it has changed are published with its session.
  const std::vector<std::int64_t> changed = changed_rows(published_.measurements, now.measurements);
  if (changed.empty() && !changed_session) return std::nullopt;
  std::string bytes = batch_of(changed, sessions);
  published_ = std::move(now);
  sequence_ = next_sequence_++;
  rows_ += changed.size();
  return bytes;
}

std::string describe(const BatchName& name) {
  return fmt::format("batch {} of task {} of {}, by node {},", name.sequence, name.lease.task,
                     name.lease.campaign, name.node);
}

db::MergeCounts merge_batch(db::Store& store, std::string_view bytes, const db::RowOwner& owner) {
  try {
    std::string content;
    base::streams::zstd_decompress(bytes, "batch", "batch of rows", [&](std::string_view piece) {
      content += piece;
      if (content.size() > kMaxBatchBytes)
        throw base::InputError(fmt::format("a batch of rows has more than {} MiB", kMaxBatchBytes >> 20));
    });
    return store.merge_owned(content, owner);
  } catch (const std::bad_alloc&) {
    throw base::InputError("there is not enough memory for a batch of rows");
  }
}

}  // namespace warptune::fleet::rows
