// A connection to a database, which is made again when it is lost.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/postgresql/address.h"
#include "fleet/postgresql/libpq.h"

namespace warptune::fleet::postgresql {

/// A parameter of a statement.
struct Parameter {
  /// Text, or NULL. Bytes that PostgreSQL does not store in texts, NUL and those that are not UTF-8, are
  /// written as in `base::printable`.
  explicit Parameter(std::optional<std::string_view> text);
  explicit Parameter(const std::string& text) : Parameter(std::optional<std::string_view>(text)) {}
  explicit Parameter(const char* text) : Parameter(std::optional<std::string_view>(text)) {}
  explicit Parameter(std::uint64_t number) : value(std::to_string(number)) {}
  explicit Parameter(bool truth) : value(truth ? "true" : "false") {}
  /// Bytes for a parameter of type bytea.
  static Parameter binary(std::string_view bytes);

  std::optional<std::string> value{};
  bool is_binary = false;
};

/// The rows that a statement returned. Rows and columns count from 0.
class Rows {
 public:
  explicit Rows(ResultHandle result) : result_(std::move(result)) {}

  std::size_t size() const;
  bool is_null(std::size_t row, int column) const;
  std::string_view text(std::size_t row, int column) const;
  std::int64_t integer(std::size_t row, int column) const;
  std::uint64_t count(std::size_t row, int column) const;
  bool truth(std::size_t row, int column) const { return text(row, column) == "t"; }

 private:
  ResultHandle result_;
};

/// How all columns of a result are sent.
enum class Format { kText = 0, kBinary = 1 };

/// How long a client waits for the answer to a statement before it gives up the server.
constexpr std::chrono::milliseconds kAnswerLimit{30'000};

/// All functions throw as `server_errors.h` says, and `base::MachineError` if the server does not answer in
/// time.
class Connection {
 public:
  /// Connects.
  explicit Connection(const std::string& uri, std::chrono::milliseconds answer_limit = kAnswerLimit);

  /// The address without a password.
  const std::string& address() const { return address_.shown; }
  /// The name of the user on the server.
  const std::string& user() const { return user_; }

  /// Runs one statement, which must have the effect of one when it is run twice. If the connection is lost,
  /// the statement is run once more on a new one.
  Rows call(const char* statement, const std::vector<Parameter>& parameters = {},
            Format format = Format::kText);
  /// Runs statements in one transaction, one after the other, without a limit of time. They are not repeated.
  class Transaction;

 private:
  struct Lost {
    std::string reason;
  };
  using Clock = std::chrono::steady_clock;

  void connect();
  void disconnect() { handle_.reset(); }
  Rows run(const char* statement, const std::vector<Parameter>& parameters, Format format,
           Clock::duration limit);
  /// Runs several statements without parameters. Returns nothing of their results.
  void run_script(const std::string& statements, Clock::duration limit);
  ResultHandle last_result(Clock::time_point end);
  void wait_for_socket(short events, Clock::time_point end);
  void flush(Clock::time_point end);
  [[noreturn]] void throw_lost() const;
  [[noreturn]] void throw_unanswered();

  Address address_;
  std::chrono::milliseconds answer_limit_;
  std::string user_;
  ConnectionHandle handle_;
};

/// Begins when it is made, and is rolled back when it ends, unless it was committed.
class Connection::Transaction {
 public:
  explicit Transaction(Connection& connection);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  Rows run(const char* statement, const std::vector<Parameter>& parameters = {});
  /// Several statements, separated by semicolons.
  void run_script(const std::string& statements);
  void commit();

 private:
  Connection& connection_;
  bool is_open_ = false;
};

}  // namespace warptune::fleet::postgresql
