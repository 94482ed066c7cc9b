// Makes a copy of a database with SQLite's online backup (https://sqlite.org/backup.html).
//
// All pages are copied in one step. This step reads one snapshot of the write-ahead log, so other processes
// can write meanwhile. The step does not begin again when they do.
#include "db/storage/backup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "db/storage/damage.h"
#include "db/storage/database_file.h"
#include "db/storage/schema.h"

namespace warptune::db::storage {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_existing(const fs::path& target) {
  throw base::InputError("the file exists already; a backup never replaces a file, so name a new one",
                         {target.string(), 0, 0});
}

[[noreturn]] void fail_to_write(const fs::path& target, int reason) {
  throw base::MachineError(
      fmt::format("{}: the backup cannot be written: {}", target.string(), std::strerror(reason)),
      "choose a folder that can be written, or make room on the disk");
}

// Whether a file beside a database has nothing that would be mixed with a new database. An empty file has
// nothing. Nor has the index of a log (`-shm`) that no process uses: the next process empties it. Every
// process that uses a log has a lock on its index (https://sqlite.org/walformat.html, section 2.3).
bool is_only_left(const fs::path& beside) {
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(beside, error))) return false;
  if (!beside.string().ends_with("-shm")) return fs::file_size(beside, error) == 0 && !error;
  const int opened = ::open(beside.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) return false;
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;  // From the beginning to the end.
  const bool is_known = ::fcntl(opened, F_GETLK, &lock) == 0;
  ::close(opened);
  return is_known && lock.l_type == F_UNLCK;
}

void check_target(const fs::path& target) {
  holds_database(target, migrations().size());  // Refuses names that no database can have, and foreign files.
  std::error_code ignored;
  // A link to a missing file is refused, too.
  if (fs::exists(fs::symlink_status(target, ignored))) refuse_existing(target);
  for (const char* suffix : {"-journal", "-wal", "-shm"}) {
    const fs::path beside = target.string() + suffix;
    if (fs::exists(fs::symlink_status(beside, ignored)) && !is_only_left(beside)) {
      throw base::InputError(fmt::format("{} belongs to an earlier database of this name; remove it, or name "
                                         "another file for the backup",
                                         beside.string()),
                             {target.string(), 0, 0});
    }
  }
  base::require_folder_of(target);
}

// A new file beside `target`. It is removed again unless `take_name` succeeded.
class TemporaryCopy {
 public:
  explicit TemporaryCopy(const fs::path& target) : target_(target), path_(target.string() + ".XXXXXX") {
    descriptor_ = ::mkostemp(path_.data(), O_CLOEXEC);  // Its mode is 0600.
    if (descriptor_ < 0) fail_to_write(target, errno);
  }
  TemporaryCopy(const TemporaryCopy&) = delete;
  TemporaryCopy& operator=(const TemporaryCopy&) = delete;
  ~TemporaryCopy() {
    ::close(descriptor_);
    ::unlink(path_.c_str());  // Does nothing after a rename.
  }

  const std::string& path() const { return path_; }

  // Writes the copy to the disk and gives it the name `target`, unless a file has that name now.
  void take_name() {
    if (::fsync(descriptor_) != 0) fail_to_write(target_, errno);
    if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE) != 0) {
      // Some file systems lack this kind of rename. A second name never replaces a file, either.
      if (errno == EINVAL && ::link(path_.c_str(), target_.c_str()) == 0) errno = 0;
      if (errno == EEXIST) refuse_existing(target_);
      if (errno != 0) fail_to_write(target_, errno);
    }
    const fs::path folder = target_.has_parent_path() ? target_.parent_path() : fs::path(".");
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (opened < 0) return;  // The copy is complete. Only its name could be lost when the power fails.
    ::fsync(opened);
    ::close(opened);
  }

 private:
  fs::path target_;
  std::string path_;
  int descriptor_ = -1;
};

void copy_pages(Database& source, const std::string& path) {
  Database copy(path, OpenMode::kReadWrite);
  // A killed backup is useless anyway, so the copy needs no journal. `take_name` writes it to the disk.
  copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF");
  source.copy_to(copy);
}

// The claims of running sessions concern the database, not the copy (db/claims/claims.h).
void leave_out_claims(const std::string& path) {
  Database copy(path, OpenMode::kReadWrite);
  if (copy.integer("SELECT count(*) FROM claimant") == 0) return;
  copy.execute(
      "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; DELETE FROM claim; DELETE FROM claimant");
}

void check_copy(const Database& source, const std::string& path) {
  Database copy(path, OpenMode::kImmutable);
  const std::string problem = page_problem(copy);
  if (!problem.empty())
    source.refuse_damaged(problem + "; no backup was made, `warptune db verify` lists the damage");
}

}  // namespace

void back_up(Database& source, const fs::path& target) {
  check_target(target);
  TemporaryCopy copy(target);
  copy_pages(source, copy.path());
  check_copy(source, copy.path());
  leave_out_claims(copy.path());
  copy.take_name();
}

}  // namespace warptune::db::storage
