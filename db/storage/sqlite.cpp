#include "db/storage/sqlite.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cstring>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace warptune::db::storage {

namespace {

constexpr int kBusyTimeoutMs = 30000;

}  // namespace

// https://sqlite.org/uri.html, section 3.
std::string uri_of(const std::filesystem::path& path, std::string_view option) {
  std::string uri = "file:";
  for (const char character : std::filesystem::absolute(path).string()) {
    if (character == '%' || character == '?' || character == '#') {
      uri += fmt::format("%{:02X}", static_cast<unsigned>(character));
    } else {
      uri += character;
    }
  }
  return uri + "?" + std::string(option);
}

namespace {

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::kReadWrite:
      // The name is absolute, so it is never read as a URI. A second file may be attached by a URI.
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI;
    case OpenMode::kReadOnly:
      return SQLITE_OPEN_READONLY;
    case OpenMode::kMemory:
      return SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
    case OpenMode::kImmutable:
      return SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
  }
  return 0;
}

// Whether the size of the files that this process writes is limited. SQLite does not report the system's
// error when a write fails, so the message names this limit as a possible reason.
bool file_size_is_limited() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

}  // namespace

Database::Database(const std::filesystem::path& path, OpenMode mode) : path_(path) {
  // SQLite gives some relative names a special meaning, so the name is made absolute.
  const std::string name = mode == OpenMode::kMemory      ? ":memory:"
                           : mode == OpenMode::kImmutable ? uri_of(path, "immutable=1")
                                                          : std::filesystem::absolute(path).string();
  const int code = sqlite3_open_v2(name.c_str(), handle_.out(), flags_of(mode), nullptr);
  if (code != SQLITE_OK) fail(code, "sqlite3_open_v2");
  sqlite3_extended_result_codes(handle_.get(), 1);
  sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
}

Database::Database(Database&& other) noexcept : path_(std::move(other.path_)) {
  other.kept_.clear();
  handle_ = std::move(other.handle_);
}

void Database::refuse_damaged(const std::string& what) const {
  throw base::InputError(
      fmt::format(
          "damaged database: {}; move the file away to begin a new one, or name another with --db FILE",
          what),
      {path_.string(), 0, 0});
}

void Database::fail(int code, std::string_view call) const {
  // The connection's message may belong to another call.
  const bool known = handle_ && sqlite3_extended_errcode(handle_.get()) == code;
  const std::string reason = known ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  const std::string what =
      fmt::format("{} (SQLite {}, {})", reason, code, base::first_line(base::trim(call)));
  const std::string message = path_.string() + ": " + what;
  switch (code == SQLITE_IOERR_NOMEM ? SQLITE_NOMEM : code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      refuse_damaged(what);
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

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, sql);
}

void Database::attach_bytes(const char* schema, std::string_view bytes) {
  execute(fmt::format("ATTACH ':memory:' AS {}", schema).c_str());
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(bytes.size()));
  int code = SQLITE_NOMEM;
  if (copy != nullptr) {
    std::memcpy(copy, bytes.data(), bytes.size());
    code = sqlite3_deserialize(handle_.get(), schema, copy, size, size,  // It frees the copy if it fails.
                               SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  }
  if (code == SQLITE_OK) return;
  execute(fmt::format("DETACH {}", schema).c_str());
  fail(code, "sqlite3_deserialize");
}

void Database::copy_to(Database& target) {
  sqlite3_backup* backup = sqlite3_backup_init(target.handle_.get(), "main", handle_.get(), "main");
  if (backup == nullptr) target.fail(sqlite3_extended_errcode(target.handle_.get()), "sqlite3_backup_init");
  const int step = sqlite3_backup_step(backup, -1);  // All pages.
  const int end = sqlite3_backup_finish(backup);     // SQLITE_OK if the step was not fatal (SQLITE_BUSY).
  if (end != SQLITE_OK) target.fail(end, "sqlite3_backup_step");
  if (step != SQLITE_DONE) target.fail(step, "sqlite3_backup_step");
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  // Every statement of warptune is tested. If SQLite refuses one, the tables of this file are not those of
  // the schema.
  if (code == SQLITE_ERROR) refuse_damaged(sqlite3_errmsg(handle_.get()));
  if (code != SQLITE_OK) fail(code, sql);
  return Statement(*this, statement);
}

CachedStatement Database::cached_statement(const char* sql) {
  auto found = kept_.find(sql);
  if (found == kept_.end()) found = kept_.emplace(sql, Kept{prepare(sql), false}).first;
  if (found->second.in_use)
    throw base::InternalError(fmt::format("the statement is in use already: {}", sql));
  return CachedStatement(found->second.statement, found->second.in_use);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer() : 0;
}

std::vector<std::int64_t> Database::integers(std::string_view sql) {
  std::vector<std::int64_t> values;
  Statement statement = prepare(sql);
  while (statement.step()) values.push_back(statement.integer());
  return values;
}

std::string Database::text(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.text() : std::string();
}

void Statement::check(int code, std::string_view call) {
  if (code != SQLITE_OK) database_->fail(code, call);
}

void Statement::refuse_damaged(const std::string& what) const { database_->refuse_damaged(what); }

Statement& Statement::bind(std::int64_t value) {
  check(sqlite3_bind_int64(handle_.get(), ++bound_, value), "sqlite3_bind_int64");
  return *this;
}

Statement& Statement::bind(double value) {
  check(sqlite3_bind_double(handle_.get(), ++bound_, value), "sqlite3_bind_double");
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  check(sqlite3_bind_text64(handle_.get(), ++bound_, value.empty() ? "" : value.data(), value.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8),
        "sqlite3_bind_text64");
  return *this;
}

Statement& Statement::bind(const std::vector<double>& values) {
  const void* data = values.empty() ? static_cast<const void*>("") : values.data();
  check(sqlite3_bind_blob64(handle_.get(), ++bound_, data, values.size() * sizeof(double), SQLITE_TRANSIENT),
        "sqlite3_bind_blob64");
  return *this;
}

Statement& Statement::bind_null() {
  check(sqlite3_bind_null(handle_.get(), ++bound_), "sqlite3_bind_null");
  return *this;
}

bool Statement::step() {
  column_ = 0;
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code, sqlite3_sql(handle_.get()));
  return false;
}

void Statement::run() {
  while (step()) {
  }
  check(sqlite3_reset(handle_.get()), "sqlite3_reset");
  bound_ = 0;
}

void Statement::reset() {
  sqlite3_reset(handle_.get());  // It returns the error of the last step again, which `step` has thrown.
  bound_ = 0;
}

std::optional<double> Statement::real() {
  if (next_is_null()) {
    skip();
    return std::nullopt;
  }
  return sqlite3_column_double(handle_.get(), column_++);
}

std::string Statement::text() {
  const auto* characters = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column_));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column_));
  ++column_;
  return characters == nullptr ? std::string() : std::string(characters, size);
}

std::vector<double> Statement::reals() {
  const void* data = sqlite3_column_blob(handle_.get(), column_);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column_));
  ++column_;
  std::vector<double> values(size / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), data, values.size() * sizeof(double));
  return values;
}

Transaction::Transaction(Database& database) : database_(database) {
  if (database_.in_transaction_) return;
  database_.cached_statement("BEGIN IMMEDIATE")->step();
  database_.in_transaction_ = open_ = true;
}

Transaction::~Transaction() {
  if (!open_) return;
  database_.in_transaction_ = false;
  database_.known_ids_.clear();
  database_.known_workloads_.clear();
  database_.workload_checksums_.clear();
  database_.session_origin_ids_.clear();
  try {
    database_.execute("ROLLBACK");
  } catch (const base::Error&) {  // SQLite has rolled back already, for example because the disk is full.
  }
}

void Transaction::commit() {
  if (!open_) return;
  database_.cached_statement("COMMIT")->step();
  database_.in_transaction_ = open_ = false;
}

}  // namespace warptune::db::storage
