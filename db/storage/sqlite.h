#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/unique_handle.h"

namespace warptune::db::storage {

/// How a file is opened.
enum class OpenMode {
  kReadWrite,  ///< Makes the file if it is missing.
  kReadOnly,
  kMemory,    ///< A new database in memory; the path is not used.
  kImmutable  ///< Read only, on a medium where SQLite cannot even make its lock files.
};

/// SQLite has no memory left for what a call needs.
class NoMemory : public base::MachineError {
 public:
  using MachineError::MachineError;
};

/// A database cannot grow any more: its disk is full, or it is in memory and has reached its largest size.
class NoRoom : public base::MachineError {
 public:
  using MachineError::MachineError;
};

class Database;

/// Removes the write-ahead log (`-wal` and `-shm`) of a database if it is empty and nobody uses the database.
/// SQLite itself removes it, under the lock that every connection holds, so no log is removed that another
/// process may use. Where this is not possible, nothing happens: an empty log holds no data.
void remove_empty_log(const std::filesystem::path& path);

/// A prepared statement. `bind` sets the next `?`. `integer`, `text` and so on read the next column. A failed
/// call throws the errors that `Database` lists.
class Statement {
 public:
  Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

  Statement& bind(std::int64_t value);
  Statement& bind(int value) { return bind(std::int64_t{value}); }
  Statement& bind(bool value) { return bind(std::int64_t{value}); }
  Statement& bind(std::uint64_t value) { return bind(static_cast<std::int64_t>(value)); }
  Statement& bind(double value);  ///< NaN is stored as NULL.
  Statement& bind(std::string_view value);
  Statement& bind(const std::string& value) { return bind(std::string_view(value)); }
  Statement& bind(const char* value) { return bind(std::string_view(value)); }
  Statement& bind(const std::vector<double>& values);
  Statement& bind_null();

  /// Moves to the next row. Returns false after the last one.
  bool step();
  /// Runs a statement that returns no rows. Afterwards it can be bound again.
  void run();

  /// Releases the rows and the bound values. Afterwards the statement can be bound again.
  void reset();

  void skip() { ++column_; }
  bool next_is_null() const { return sqlite3_column_type(handle_.get(), column_) == SQLITE_NULL; }
  std::int64_t integer() { return sqlite3_column_int64(handle_.get(), column_++); }
  int small() { return sqlite3_column_int(handle_.get(), column_++); }
  std::uint64_t unsigned_integer() { return static_cast<std::uint64_t>(integer()); }
  bool boolean() { return integer() != 0; }
  std::optional<double> real();  ///< No value if the column is NULL.
  std::string text();
  std::vector<double> reals();

  /// See `Database::refuse_damaged`.
  [[noreturn]] void refuse_damaged(const std::string& what) const;

 private:
  struct Traits {
    using Handle = sqlite3_stmt*;
    static Handle null() { return nullptr; }
    static void close(Handle handle) { sqlite3_finalize(handle); }
  };

  void check(int code, std::string_view call);

  Database* database_;
  base::UniqueHandle<Traits> handle_;
  int bound_ = 0;
  int column_ = 0;
};

/// Exclusive use of a statement that stays prepared as long as its connection exists. The destructor resets
/// the statement.
class CachedStatement {
 public:
  CachedStatement(Statement& statement, bool& in_use) : statement_(statement), in_use_(in_use) {
    in_use_ = true;
  }
  CachedStatement(const CachedStatement&) = delete;
  CachedStatement& operator=(const CachedStatement&) = delete;
  ~CachedStatement() {
    statement_.reset();
    in_use_ = false;
  }
  Statement* operator->() const { return &statement_; }
  Statement& operator*() const { return statement_; }

 private:
  Statement& statement_;
  bool& in_use_;
};

/// Turns the write-ahead log on, if it is not on yet. Waits for other processes.
void use_write_ahead_log(Database& database);

/// One connection to a database file, for one thread. A failed call throws one of these:
/// * `base::InputError` if the file is damaged or not a database.
/// * `base::MachineError` if the machine prevents it (permission, a lock held too long).
/// * `NoMemory` or `NoRoom`, two kinds of `base::MachineError`, if memory or room is missing.
/// * `base::InternalError` otherwise.
class Database {
 public:
  Database(const std::filesystem::path& path, OpenMode mode);
  /// Cached statements do not move along, because they point to `other`. They are prepared again when needed.
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database() = default;

  /// Runs statements that return no rows.
  void execute(const char* sql);
  /// Attaches the file at `path` for reading only. `is_immutable` is as in `OpenMode::kImmutable`. An error
  /// names this file.
  void attach_file(const char* schema, const std::filesystem::path& path, bool is_immutable);
  Statement prepare(std::string_view sql);
  /// Prepares a statement once and lends it. The address of `sql` identifies it, so `sql` must be a literal
  /// or the text of a static string. Throws `base::InternalError` if the statement is still lent.
  CachedStatement cached_statement(const char* sql);
  /// Attaches a copy, in memory, of the database whose file has these bytes. The copy may be changed. If the
  /// call fails, nothing is attached.
  void attach_bytes(const char* schema, std::string_view bytes);
  /// Replaces the content of `target` by this database, as it is when the copying begins.
  void copy_to(Database& target);
  /// The first value of a query's first row; 0 if there is no row.
  std::int64_t integer(std::string_view sql);
  /// The first value of each row of a query.
  std::vector<std::int64_t> integers(std::string_view sql);
  /// The first value of a query's first row; empty if there is no row.
  std::string text(std::string_view sql);

  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
  /// Rows that the last statement inserted, updated or deleted.
  int changes() const { return sqlite3_changes(handle_.get()); }
  bool is_immutable() const { return mode_ == OpenMode::kImmutable; }
  bool is_read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }
  const std::filesystem::path& path() const { return path_; }
  /// The ids of metrics by name. They save look-ups. A rolled-back transaction clears them.
  std::unordered_map<std::string, std::int64_t>& known_ids() { return known_ids_; }
  /// The workload of each session, and the checksum of each workload (`workload_checksum_of`), by id. A
  /// rolled-back transaction clears both.
  std::unordered_map<std::int64_t, std::int64_t>& known_workloads() { return known_workloads_; }
  std::unordered_map<std::int64_t, std::uint64_t>& workload_checksums() { return workload_checksums_; }
  /// `origin_id_of_session` by the session's id. A rolled-back transaction clears it.
  std::unordered_map<std::int64_t, std::int64_t>& session_origin_ids() { return session_origin_ids_; }
  /// `origin` of each session to which this connection has added a row, by the session's id.
  std::unordered_map<std::int64_t, std::int64_t>& session_origins() { return session_origins_; }
  /// Whether the log has reported that rows of this file do not fit their checksums.
  bool& damage_reported() { return damage_reported_; }
  /// Throws the error for a failed call. `code` is SQLite's.
  [[noreturn]] void fail(int code, std::string_view call) const;
  /// Throws `base::InputError` for content that no version of warptune stores.
  [[noreturn]] void refuse_damaged(const std::string& what) const;

 private:
  struct Traits {
    using Handle = sqlite3*;
    static Handle null() { return nullptr; }
    static void close(Handle handle) { sqlite3_close_v2(handle); }
  };

  // A connection for reading makes an empty log, which it cannot remove itself.
  class LeftLog {
   public:
    explicit LeftLog(std::filesystem::path path) : path_(std::move(path)) {}
    LeftLog(LeftLog&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    LeftLog& operator=(LeftLog&&) = delete;
    ~LeftLog() {
      if (!path_.empty()) remove_empty_log(path_);
    }

   private:
    std::filesystem::path path_;  // Empty if there is nothing to do.
  };

  struct Kept {
    Statement statement;
    bool in_use = false;
  };
  friend class Transaction;

  std::filesystem::path path_;
  OpenMode mode_;
  LeftLog left_log_;  // Must be destroyed after the connection.
  base::UniqueHandle<Traits> handle_;
  std::unordered_map<const char*, Kept> kept_;  // Must be destroyed before the connection.
  std::unordered_map<std::string, std::int64_t> known_ids_;
  std::unordered_map<std::int64_t, std::int64_t> known_workloads_;
  std::unordered_map<std::int64_t, std::uint64_t> workload_checksums_;
  std::unordered_map<std::int64_t, std::int64_t> session_origin_ids_;
  std::unordered_map<std::int64_t, std::int64_t> session_origins_;
  bool damage_reported_ = false;
  bool in_transaction_ = false;
};

/// A transaction. It is committed by `commit`, else the destructor rolls it back. It takes the lock for
/// writing at once, so that it waits for other processes here and does not fail later. Within another
/// transaction it does nothing: the outer one commits or rolls back.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool open_ = false;
};

}  // namespace warptune::db::storage
