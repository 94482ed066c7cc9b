#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/unique_handle.h"

namespace warptune::db::storage {

/// How a file is opened.
enum class OpenMode {
  kReadWrite,  ///< Made when missing.
  kReadOnly,
  kImmutable  ///< Read only, on a medium where not even SQLite's lock files can be made.
};

class Database;

/// A prepared statement: bound in the order of its `?`, its columns read in their order.
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

  /// False at the end.
  bool step();
  /// Runs a statement that returns nothing, and makes it ready to be bound anew.
  void run();

  /// Lets go of rows and values, ready to be bound anew.
  void reset();

  void skip() { ++column_; }
  bool next_is_null() const { return sqlite3_column_type(handle_.get(), column_) == SQLITE_NULL; }
  std::int64_t integer() { return sqlite3_column_int64(handle_.get(), column_++); }
  int small() { return sqlite3_column_int(handle_.get(), column_++); }
  std::uint64_t natural() { return static_cast<std::uint64_t>(integer()); }
  bool boolean() { return integer() != 0; }
  double real();  ///< NULL is NaN.
  std::string text();
  std::vector<double> reals();

  /// `Database::refuse_damaged`.
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

/// A statement that stays prepared with its connection, for as long as one part of the program uses it.
class Lease {
 public:
  Lease(Statement& statement, bool& in_use) : statement_(statement), in_use_(in_use) { in_use_ = true; }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    statement_.reset();
    in_use_ = false;
  }
  Statement* operator->() const { return &statement_; }
  Statement& operator*() const { return statement_; }

 private:
  Statement& statement_;
  bool& in_use_;
};

/// One connection. Every failed call throws: `base::InputError` when the file is damaged or no database,
/// `base::MachineError` when the machine is in the way (permission, space, a lock held too long), else
/// `base::InternalError`.
class Database {
 public:
  Database(const std::filesystem::path& path, OpenMode mode);
  /// Statements that were kept are prepared anew: they know where the connection is.
  Database(Database&& other) noexcept;
  Database& operator=(Database&&) = delete;
  ~Database() = default;

  /// Runs statements that return nothing.
  void execute(const char* sql);
  Statement prepare(std::string_view sql);
  /// As `prepare`, but prepared once. `sql` is known by its address: a literal, or the text of a static
  /// string. One lease of a text at a time.
  Lease lease(const char* sql);
  /// The single value of a query.
  std::int64_t integer(std::string_view sql);
  std::string text(std::string_view sql);

  std::int64_t last_insert_id() const { return sqlite3_last_insert_rowid(handle_.get()); }
  /// Rows that the last statement inserted, updated or deleted.
  int changes() const { return sqlite3_changes(handle_.get()); }
  bool is_read_only() const { return sqlite3_db_readonly(handle_.get(), "main") == 1; }
  const std::filesystem::path& path() const { return path_; }
  /// Ids of rows by name that are never removed, kept so that they need not be looked up; forgotten when a
  /// transaction is rolled back.
  std::unordered_map<std::string, std::int64_t>& known_ids() { return known_ids_; }
  /// The workload of each session, and the checksum of each workload (`workload_checksum_of`). Kept likewise.
  std::unordered_map<std::int64_t, std::int64_t>& known_workloads() { return known_workloads_; }
  std::unordered_map<std::int64_t, std::uint64_t>& workload_checksums() { return workload_checksums_; }
  /// Whether somebody was told that rows of this file do not fit their checksums.
  bool& told_unsound() { return told_unsound_; }
  /// Throws for a failed call; `code` is SQLite's.
  [[noreturn]] void fail(int code, std::string_view call) const;
  /// Throws the `base::InputError` for what no warptune has stored in the file.
  [[noreturn]] void refuse_damaged(const std::string& what) const;

 private:
  struct Traits {
    using Handle = sqlite3*;
    static Handle null() { return nullptr; }
    static void close(Handle handle) { sqlite3_close_v2(handle); }
  };

  struct Kept {
    Statement statement;
    bool in_use = false;
  };
  friend class Transaction;

  std::filesystem::path path_;
  base::UniqueHandle<Traits> handle_;
  std::unordered_map<const char*, Kept> kept_;  // Goes before the connection.
  std::unordered_map<std::string, std::int64_t> known_ids_;
  std::unordered_map<std::int64_t, std::int64_t> known_workloads_;
  std::unordered_map<std::int64_t, std::uint64_t> workload_checksums_;
  bool told_unsound_ = false;
  bool in_transaction_ = false;
};

/// Commits when told to, else rolls back. Takes the writer's lock at once, so that it waits for others
/// instead of failing. Inside another one it does nothing: the outer one decides.
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
