#include "db/storage/messages/sqlite_errors.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cctype>

#include "db/storage/sqlite.h"

namespace warptune::db::storage::messages {

namespace {

constexpr std::size_t kLongestCall = 80;
constexpr std::size_t kLongestReason = 200;  // SQLite puts texts of a damaged file into its messages.

// Whether the size of the files that this process writes is limited. SQLite does not report the system's
// error when a write fails, so the message names this limit as a possible reason.
bool file_size_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

std::string outline(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char character : text) {
    if (std::isspace(static_cast<unsigned char>(character)) == 0) {
      line += character;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  if (line.size() <= limit) return line;
  constexpr std::string_view kEllipsis = "…";
  std::size_t end = limit - kEllipsis.size();
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;  // A whole character.
  return line.substr(0, end).append(kEllipsis);
}

std::string problems_of_pages(std::string_view found) {
  if (found == "ok") return "";
  constexpr std::string_view kBanner = "*** in database main ***";
  if (found.starts_with(kBanner)) found.remove_prefix(kBanner.size());
  return outline(found, kLongestReason);
}

DamageError::DamageError(const std::filesystem::path& path, const std::string& damage)
    : InputError(
          fmt::format("damaged database: {}; restore a copy of `warptune db backup`, move the file away to "
                      "begin a new one, or name another with --db FILE",
                      damage),
          {path.string(), 0, 0}),
      damage_(damage) {}

void throw_damaged(const std::filesystem::path& path, const std::string& what) {
  throw DamageError(path, what);
}

void throw_failure(const std::filesystem::path& path, sqlite3* connection, int code, std::string_view call) {
  // The connection's message may belong to another call.
  const bool known = connection != nullptr && sqlite3_extended_errcode(connection) == code;
  const std::string reason =
      outline(known ? sqlite3_errmsg(connection) : sqlite3_errstr(code), kLongestReason);
  const std::string what = fmt::format("{} (SQLite {}, {})", reason, code, outline(call, kLongestCall));
  const std::string message = path.string() + ": " + what;
  switch (code == SQLITE_IOERR_NOMEM ? SQLITE_NOMEM : code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      throw_damaged(path, what);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_READONLY:
    case SQLITE_AUTH:
      throw base::MachineError(message, "use --db FILE to name a file in a folder that you can write to");
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOLFS:
      if (file_size_is_limited())
        throw NoRoom(message, "raise the limit on the size of files (ulimit -f), or make room on the disk");
      throw NoRoom(message, "make room on the disk, or name another with --db FILE");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      throw base::MachineError(message,
                               "end the process that holds the database, then run the command again");
    case SQLITE_NOMEM:
      throw NoMemory(message, "end other programs to free memory");
    default:
      throw base::InternalError(message);
  }
}

}  // namespace warptune::db::storage::messages
