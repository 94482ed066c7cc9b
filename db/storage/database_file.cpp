#include "db/storage/database_file.h"

#include <fmt/format.h>
#include <limits.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/files.h"

namespace warptune::db::storage {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kRemedy = "name another file with --db FILE";
constexpr std::string_view kJournal = "-journal";  // The longest suffix that SQLite appends to the name.
constexpr std::size_t kLongestPath = 512;          // MAX_PATHNAME of SQLite's os_unix.c.

[[noreturn]] void refuse_name(const fs::path& path, std::string_view why) {
  throw base::InputError(fmt::format("'{}' cannot be a database: {}; {}", path.string(), why, kRemedy));
}

void check_name(const fs::path& path) {
  if (path.empty()) refuse_name(path, "the name is empty");
  if (path == ":memory:") refuse_name(path, "a database in memory would be lost when the command ends");
  if (path.filename().native().size() + kJournal.size() > NAME_MAX ||
      fs::absolute(path).native().size() + kJournal.size() >= kLongestPath)
    refuse_name(path, "the name is too long");
}

// The type of the file at `path`; links are followed.
fs::file_type type_at(const fs::path& path) {
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::not_found || !error) return type;
  if (error == std::errc::too_many_symbolic_link_levels) refuse_name(path, "the link refers to itself");
  if (error == std::errc::filename_too_long) refuse_name(path, "the name is too long");
  throw base::MachineError(fmt::format("{}: its type cannot be read: {}", path.string(), error.message()),
                           std::string(kRemedy));
}

// Reads a big-endian number of SQLite's header (https://sqlite.org/fileformat.html, section 1.3).
std::int64_t header_number(const std::string& header, std::size_t offset) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(header[offset + i]);
  return number;
}

// Returns the page size that the header states. A file whose size is not a multiple of it was cut off. SQLite
// itself would read the missing part of the last page as zeros.
std::uintmax_t page_bytes(const std::string& header) {
  const std::int64_t stored = header_number(header, 16) >> 16;
  return stored <= 1 ? 65536U : static_cast<std::uintmax_t>(stored);
}

void check_header(const fs::path& path, const std::string& header, std::size_t whole,
                  std::size_t known_version) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (!header.starts_with(kMagic)) refuse_foreign(path, "a file that is not an SQLite database");
  if (header.size() < whole)
    refuse_foreign(path, fmt::format("a file cut off after {} bytes", header.size()));
  if (header_number(header, 68) != kApplicationId)
    refuse_foreign(path, "an SQLite database of another program");
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(path, ignored);
  if (size % page_bytes(header) != 0)
    refuse_foreign(path, fmt::format("a file cut off after {} bytes", size));
  const std::int64_t version = header_number(header, 60);
  if (version > static_cast<std::int64_t>(known_version)) refuse_newer(path, version, known_version);
}

}  // namespace

void refuse_foreign(const fs::path& path, const std::string& found) {
  throw base::InputError(fmt::format("expected a warptune database, found {}; {}", found, kRemedy),
                         {path.string(), 0, 0});
}

void refuse_newer(const fs::path& path, std::int64_t found, std::size_t known) {
  throw base::InputError(fmt::format("this database was written by a newer warptune: schema version {}, this "
                                     "one knows versions up to {}; use a newer warptune, or {}",
                                     found, known, kRemedy),
                         {path.string(), 0, 0});
}

bool holds_database(const fs::path& path, std::size_t known_version) {
  constexpr std::size_t kHeaderBytes = 100;
  check_name(path);
  const fs::file_type type = type_at(path);
  if (type == fs::file_type::not_found) return false;
  if (type == fs::file_type::directory) refuse_foreign(path, "a folder");
  if (type != fs::file_type::regular) refuse_foreign(path, "a pipe or a device");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw base::MachineError(path.string() + ": the file cannot be read",
                             "give yourself permission to read it, or name another file with --db FILE");
  std::string header(kHeaderBytes, '\0');
  in.read(header.data(), static_cast<std::streamsize>(kHeaderBytes));
  header.resize(static_cast<std::size_t>(in.gcount()));
  if (header.empty()) return false;
  check_header(path, header, kHeaderBytes, known_version);
  return true;
}

fs::path linked_file(const fs::path& path) {
  std::error_code missing;
  fs::path file = fs::canonical(path, missing);
  return missing ? path : file;
}

namespace {

// Whether there is something at `path` that is not an empty file.
bool has_contents(const fs::path& path) {
  std::error_code missing;
  const std::uintmax_t size = fs::file_size(path, missing);
  return missing ? fs::exists(path, missing) : size > 0;
}

}  // namespace

bool has_log(const fs::path& path) { return has_contents(linked_file(path).string() + "-wal"); }

bool has_journal(const fs::path& path) {
  return has_contents(linked_file(path).string() + std::string(kJournal));
}

void make_database_file(const fs::path& path) {
  if (path.has_parent_path() && !base::make_private_folder(path.parent_path())) {
    throw base::MachineError(
        fmt::format("{}: the folder of the database cannot be made: {}", path.string(), std::strerror(errno)),
        "use --db FILE to name a file in a folder that you can write to");
  }
  base::make_private_file(path);  // If this fails, SQLite reports the reason.
}

}  // namespace warptune::db::storage
