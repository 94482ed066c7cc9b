#include "db/storage/sqlite.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <system_error>
#include <thread>
#include <utility>

#include "base/error.h"
#include "db/storage/database_file.h"
#include "db/storage/messages/sqlite_errors.h"

namespace warptune::db::storage {

namespace {

constexpr int kBusyTimeoutMs = 30000;

// The URI with which SQLite opens a file (https://sqlite.org/uri.html, section 3).
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

}  // namespace

void remove_empty_log(const std::filesystem::path& path) {
  const std::filesystem::path file = linked_file(path);
  std::error_code missing;
  if (std::filesystem::file_size(file.string() + "-wal", missing) != 0 || missing) return;
  if (::access(file.c_str(), W_OK) != 0) return;
  // The last connection that may write removes the log when it closes, if it has opened the log before.
  sqlite3* connection = nullptr;
  if (sqlite3_open_v2(std::filesystem::absolute(file).c_str(), &connection, SQLITE_OPEN_READWRITE, nullptr) ==
      SQLITE_OK)
    sqlite3_exec(connection, "SELECT count(*) FROM sqlite_master", nullptr, nullptr, nullptr);
  sqlite3_close_v2(connection);
}

// SQLite does not wait for other processes when it changes the journal's mode, so this loop waits.
void use_write_ahead_log(Database& database) {
  constexpr int kAttempts = 200;
  for (int attempt = 1;; ++attempt) {
    try {
      if (database.text("PRAGMA journal_mode") == "wal" ||
          database.text("PRAGMA journal_mode = WAL") == "wal")
        return;
    } catch (const base::MachineError&) {
      if (attempt == kAttempts) throw;
    }
    if (attempt == kAttempts) {
      throw base::MachineError(
          database.path().string() + ": this file system does not support SQLite's write-ahead log",
          "use --db FILE to name a file on a local disk");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

Database::Database(const std::filesystem::path& path, OpenMode mode)
    : path_(path), mode_(mode), left_log_(mode == OpenMode::kReadOnly ? path : std::filesystem::path()) {
  // SQLite gives some relative names a special meaning, so the name is made absolute.
  const std::string name = mode == OpenMode::kMemory      ? ":memory:"
                           : mode == OpenMode::kImmutable ? uri_of(path, "immutable=1")
                                                          : std::filesystem::absolute(path).string();
  const int code = sqlite3_open_v2(name.c_str(), handle_.out(), flags_of(mode), nullptr);
  if (code != SQLITE_OK) fail(code, "sqlite3_open_v2");
  sqlite3_extended_result_codes(handle_.get(), 1);
  sqlite3_busy_timeout(handle_.get(), kBusyTimeoutMs);
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), mode_(other.mode_), left_log_(std::move(other.left_log_)) {
  other.kept_.clear();
  handle_ = std::move(other.handle_);
}

void Database::refuse_damaged(const std::string& what) const { messages::throw_damaged(path_, what); }

void Database::fail(int code, std::string_view call) const {
  messages::throw_failure(path_, handle_.get(), code, call);
}

void Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code, sql);
}

void Database::attach_file(const char* schema, const std::filesystem::path& path, bool is_immutable) {
  const std::string uri = uri_of(path, is_immutable ? "immutable=1" : "mode=ro");
  char* sql = sqlite3_mprintf("ATTACH %Q AS %s", uri.c_str(), schema);
  const int code =
      sql == nullptr ? SQLITE_NOMEM : sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  sqlite3_free(sql);
  if (code != SQLITE_OK) messages::throw_failure(path, handle_.get(), code, "ATTACH");
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
