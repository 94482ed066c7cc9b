// Statements are sent without waiting (https://www.postgresql.org/docs/15/libpq-async.html), so that a server
// that vanished is given up after a fixed time. They are not prepared on the server: the functions of
// functions.sql keep their plans, and pgbouncer shares connections between clients after each transaction.
#include "fleet/postgresql/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "fleet/postgresql/server_errors.h"

namespace warptune::fleet::postgresql {

namespace {

using namespace std::chrono_literals;

constexpr auto kServerLimit = 20s;         // The server ends a statement after this time.
constexpr auto kTransactionLimit = 10min;  // For making and migrating the schema.
constexpr int kConflictLimit = 10;         // How often a statement is repeated when it conflicts with others.

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::string printable_text(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    kept += base::printable(text.substr(0, end));
    if (end == text.size()) break;
    kept += "\\u0000";
    text.remove_prefix(end + 1);
  }
  return kept;
}

}  // namespace

Parameter::Parameter(std::optional<std::string_view> text) {
  if (text) value = printable_text(*text);
}

Parameter Parameter::binary(std::string_view bytes) {
  Parameter parameter{std::optional<std::string_view>()};
  parameter.value = bytes;
  parameter.is_binary = true;
  return parameter;
}

std::size_t Rows::size() const { return static_cast<std::size_t>(libpq().PQntuples(result_.get())); }

bool Rows::is_null(std::size_t row, int column) const {
  return libpq().PQgetisnull(result_.get(), static_cast<int>(row), column) != 0;
}

std::string_view Rows::text(std::size_t row, int column) const {
  const int index = static_cast<int>(row);
  return {libpq().PQgetvalue(result_.get(), index, column),
          static_cast<std::size_t>(libpq().PQgetlength(result_.get(), index, column))};
}

std::int64_t Rows::integer(std::size_t row, int column) const {
  const std::string_view digits = text(row, column);
  std::int64_t number = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
    throw base::InternalError(fmt::format("the store of campaigns returned '{}' for a number", digits));
  return number;
}

std::uint64_t Rows::count(std::size_t row, int column) const {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, integer(row, column)));
}

Connection::Connection(const std::string& uri, std::chrono::milliseconds answer_limit)
    : address_(read_address(uri)), answer_limit_(answer_limit) {
  connect();
}

void Connection::connect() {
  std::vector<const char*> names;
  std::vector<const char*> values;
  for (const auto& [name, value] : address_.parameters) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  ConnectionHandle handle(libpq().PQconnectdbParams(names.data(), values.data(), 1));
  if (libpq().PQstatus(handle.get()) != CONNECTION_OK)
    throw_connection_error(address(), libpq().PQerrorMessage(handle.get()));
  libpq().PQsetNoticeProcessor(
      handle.get(), [](void*, const char*) {}, nullptr);
  libpq().PQsetnonblocking(handle.get(), 1);
  handle_ = std::move(handle);
  user_ = text_of(libpq().PQuser(handle_.get()));
  // No parameters of the connection, because pgbouncer refuses those. All clients set the same values. The
  // statements are short, so that compiling them (jit) would take longer than running them.
  const std::string limit =
      fmt::format("SELECT set_config('statement_timeout', '{} s', false), set_config('jit', 'off', false)",
                  kServerLimit.count());
  try {
    run(limit.c_str(), {}, Format::kText, answer_limit_);
  } catch (const Lost& lost) {
    disconnect();
    throw_connection_error(address(), lost.reason);
  }
}

Rows Connection::call(const char* statement, const std::vector<Parameter>& parameters, Format format) {
  const bool was_connected = static_cast<bool>(handle_);
  if (!was_connected) connect();
  try {
    return run(statement, parameters, format, answer_limit_);
  } catch (const Lost&) {
    disconnect();
  }
  connect();
  try {
    return run(statement, parameters, format, answer_limit_);
  } catch (const Lost& lost) {
    disconnect();
    throw_connection_error(address(), lost.reason);
  }
}

Rows Connection::run(const char* statement, const std::vector<Parameter>& parameters, Format format,
                     Clock::duration limit) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  std::vector<int> formats;
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter.value ? parameter.value->c_str() : nullptr);
    lengths.push_back(parameter.value ? static_cast<int>(parameter.value->size()) : 0);
    formats.push_back(parameter.is_binary ? 1 : 0);
  }
  for (int conflicts = 0;; ++conflicts) {
    const Clock::time_point end = Clock::now() + limit;
    if (libpq().PQsendQueryParams(handle_.get(), statement, static_cast<int>(values.size()), nullptr,
                                  values.data(), lengths.data(), formats.data(),
                                  static_cast<int>(format)) == 0)
      throw_lost();
    ResultHandle result = last_result(end);
    const ExecStatusType status = libpq().PQresultStatus(result.get());
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return Rows(std::move(result));
    const std::string state = text_of(libpq().PQresultErrorField(result.get(), PG_DIAG_SQLSTATE));
    if (state.empty() || libpq().PQstatus(handle_.get()) == CONNECTION_BAD) throw_lost();
    const std::string reason = text_of(libpq().PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY));
    if (needs_new_connection(state)) throw Lost{reason};
    if (!is_conflict(state) || conflicts == kConflictLimit) throw_statement_error(address(), state, reason);
  }
}

void Connection::run_script(const std::string& statements, Clock::duration limit) {
  if (libpq().PQsendQuery(handle_.get(), statements.c_str()) == 0) throw_lost();
  const ResultHandle result = last_result(Clock::now() + limit);
  const ExecStatusType status = libpq().PQresultStatus(result.get());
  if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return;
  const std::string state = text_of(libpq().PQresultErrorField(result.get(), PG_DIAG_SQLSTATE));
  if (state.empty()) throw_lost();
  throw_statement_error(address(), state,
                        text_of(libpq().PQresultErrorField(result.get(), PG_DIAG_MESSAGE_PRIMARY)));
}

// The server sends a result for each statement until one fails, so the last result says how all went.
ResultHandle Connection::last_result(Clock::time_point end) {
  flush(end);
  ResultHandle last;
  while (true) {
    while (libpq().PQisBusy(handle_.get()) != 0) {
      wait_for_socket(POLLIN, end);
      if (libpq().PQconsumeInput(handle_.get()) == 0) throw_lost();
    }
    ResultHandle next(libpq().PQgetResult(handle_.get()));
    if (!next) break;
    last = std::move(next);
  }
  if (!last) throw_lost();
  return last;
}

void Connection::flush(Clock::time_point end) {
  while (true) {
    const int state = libpq().PQflush(handle_.get());
    if (state == 0) return;
    if (state < 0) {
      // The server may have said why it closed the connection.
      libpq().PQconsumeInput(handle_.get());
      throw_lost();
    }
    wait_for_socket(POLLIN | POLLOUT, end);
    if (libpq().PQconsumeInput(handle_.get()) == 0) throw_lost();
  }
}

void Connection::wait_for_socket(short events, Clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    if (left <= 0ms) throw_unanswered();
    pollfd socket{libpq().PQsocket(handle_.get()), events, 0};
    const int ready = ::poll(&socket, 1, static_cast<int>(left.count()));
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) throw_lost();
  }
}

void Connection::throw_lost() const { throw Lost{text_of(libpq().PQerrorMessage(handle_.get()))}; }

void Connection::throw_unanswered() {
  disconnect();
  throw base::MachineError(fmt::format("{}: the store does not answer", address()),
                           "check the server and the network");
}

Connection::Transaction::Transaction(Connection& connection) : connection_(connection) {
  connection_.call("SELECT 1");  // Connects again if necessary.
  run_script("BEGIN; SET LOCAL statement_timeout = 0");
  is_open_ = true;
}

Connection::Transaction::~Transaction() {
  if (!is_open_ || !connection_.handle_) return;
  try {
    connection_.run_script("ROLLBACK", connection_.answer_limit_);
  } catch (...) {
    connection_.disconnect();
  }
}

Rows Connection::Transaction::run(const char* statement, const std::vector<Parameter>& parameters) {
  try {
    return connection_.run(statement, parameters, Format::kText, kTransactionLimit);
  } catch (const Lost& lost) {
    connection_.disconnect();
    throw_connection_error(connection_.address(), lost.reason);
  }
}

void Connection::Transaction::run_script(const std::string& statements) {
  try {
    connection_.run_script(statements, kTransactionLimit);
  } catch (const Lost& lost) {
    connection_.disconnect();
    throw_connection_error(connection_.address(), lost.reason);
  }
}

void Connection::Transaction::commit() {
  run_script("COMMIT");
  is_open_ = false;
}

}  // namespace warptune::fleet::postgresql
