#include "fleet/postgresql/server_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace warptune::fleet::postgresql {

namespace {

/// Failures to connect that a person must mend. libpq gives no code for them, so they are recognised by their
/// text. A server with messages in another language leads to a `MachineError` with its own words.
struct KnownFailure {
  std::string_view part;    ///< A part of libpq's message.
  std::string_view remedy;  ///< Follows the message.
};
constexpr std::array<KnownFailure, 18> kFailures{{
    {"password authentication failed", "check the user and the password in PGPASSFILE (~/.pgpass)"},
    {"no password supplied", "give the password in PGPASSFILE (~/.pgpass)"},
    {"certificate verify failed",
     "the server's certificate has expired, or sslrootcert does not have the authority that signed it"},
    {"does not match host name", "use the name that the certificate has, or correct the certificate"},
    {"root certificate file", "give the file of the authority that signed the server's certificate"},
    {"certificate expired", "renew the client's certificate (sslcert)"},
    {"unknown ca", "the server does not know the authority that signed the client's certificate (sslcert)"},
    {"certificate authentication failed", "check the client's certificate (sslcert)"},
    {"requires a valid client certificate", "give one by sslcert and sslkey"},
    {"server does not support SSL", "let the server use TLS (docs/fleet-postgresql.md)"},
    {"private key file", "check sslkey"},
    {"certificate file", "check sslcert"},
    {"no pg_hba.conf entry", "an administrator of the server must allow this connection in pg_hba.conf"},
    {"is not permitted to log in", "use a user that may log in"},
    {"permission denied for database", "an administrator must grant CONNECT on the database"},
    {"does not exist", "check the user and the database"},
    {"invalid sslmode value", "use disable, allow, prefer, require, verify-ca or verify-full"},
    {"invalid channel_binding value", "use disable, prefer or require"},
}};

constexpr std::string_view kFailed = " failed: ";

/// Without the last attempt, if it was one without TLS that the server's rules do not allow. With the default
/// of sslmode, libpq makes it after the attempt with TLS has failed, for example for a wrong password.
std::string_view without_plain_attempt(std::string_view text) {
  const std::size_t last = text.rfind(kFailed);
  if (last == std::string_view::npos) return text;
  const std::string_view reason = text.substr(last);
  const std::size_t before = text.rfind("connection to server", last);
  const bool is_plain = reason.find("no pg_hba.conf entry") != std::string_view::npos &&
                        reason.find("no encryption") != std::string_view::npos;
  if (!is_plain || before == std::string_view::npos) return text;
  const std::string_view earlier = text.substr(0, before);
  const std::size_t failed = earlier.rfind(kFailed);
  if (failed == std::string_view::npos) return text;
  // Both attempts begin with the server's name, address and port.
  const std::string_view server = text.substr(before, last - before);
  const std::size_t start = earlier.rfind("connection to server", failed);
  const bool is_same = start != std::string_view::npos && earlier.substr(start, failed - start) == server;
  return is_same ? earlier : text;
}

/// The reason of the last server that was tried, as one line.
std::string reason_of(std::string_view text) {
  std::string_view reason = base::trim(text);
  if (const std::size_t at = reason.rfind(kFailed); at != std::string_view::npos)
    reason.remove_prefix(at + kFailed.size());
  for (const std::string_view prefix : {"FATAL:", "ERROR:"})
    if (reason.starts_with(prefix)) reason = base::trim(reason.substr(prefix.size()));
  return base::printable_line(base::trim(base::first_line(reason)));
}

std::string sentence(const std::string& address, std::string_view what, std::string_view reason) {
  return fmt::format("{}: {}: {}", address, what, reason);
}

bool is_class(std::string_view sqlstate, std::string_view first) { return sqlstate.starts_with(first); }

bool is_one_of(std::string_view sqlstate, const std::vector<std::string_view>& states) {
  return std::find(states.begin(), states.end(), sqlstate) != states.end();
}

}  // namespace

void throw_connection_error(const std::string& address, std::string_view message) {
  const std::string_view text = without_plain_attempt(message);
  const std::string reason = reason_of(text);
  const bool has_no_socket = reason.find("No such file or directory") != std::string::npos &&
                             reason.find("certificate") == std::string::npos;
  for (const KnownFailure& failure : kFailures) {
    if (has_no_socket || text.find(failure.part) == std::string_view::npos) continue;
    throw base::InputError(fmt::format("{}; {}", sentence(address, "no connection", reason), failure.remedy));
  }
  throw base::MachineError(sentence(address, "the store cannot be reached", reason),
                           "check that the server runs, and its host and port");
}

void throw_statement_error(const std::string& address, std::string_view sqlstate, std::string_view text) {
  const std::string reason = base::printable_line(text);
  if (sqlstate == "WT001") throw base::InputError(fmt::format("{}: {}", address, reason));
  if (sqlstate == "42501") {  // insufficient_privilege
    throw base::InputError(
        fmt::format("{}; an administrator grants one of the roles warptune_node, warptune_reader and "
                    "warptune_administrator",
                    sentence(address, "the user may not do this", reason)));
  }
  if (is_one_of(sqlstate,
                {"3F000", "42P01", "42883", "42703"}))  // Undefined schema, table, function, column.
    throw base::InputError(
        fmt::format("{}; `warptune campaign init` makes or migrates a store",
                    sentence(address, "the database has no store of campaigns of this version", reason)));
  if (sqlstate == "25006")  // read_only_sql_transaction
    throw base::MachineError(sentence(address, "the server only reads now", reason),
                             "name the primary server, or all servers and target_session_attrs=read-write");
  if (is_class(sqlstate, "53"))  // Disk, memory, connections.
    throw base::MachineError(sentence(address, "the server has too few resources", reason),
                             "nothing was stored; try again when it has more");
  if (is_one_of(sqlstate, {"57014", "55P03"}))  // query_canceled, lock_not_available
    throw base::MachineError(sentence(address, "the server took too long", reason), "");
  throw base::MachineError(sentence(address, fmt::format("the server reports {}", sqlstate), reason), "");
}

bool needs_new_connection(std::string_view sqlstate) {
  return is_class(sqlstate, "08") || is_one_of(sqlstate, {"57P01", "57P02", "57P03", "57P05", "25006"});
}

bool is_conflict(std::string_view sqlstate) { return is_one_of(sqlstate, {"40001", "40P01"}); }

}  // namespace warptune::fleet::postgresql
