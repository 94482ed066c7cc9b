// What the server and libpq report, as one sentence each.
#pragma once

#include <string>
#include <string_view>

namespace warptune::fleet::postgresql {

/// Throws what a failed attempt to connect means: `base::InputError` if a person must change the address, a
/// password, a certificate or a right; otherwise `base::MachineError`. `text` is libpq's message.
[[noreturn]] void throw_connection_error(const std::string& address, std::string_view text);

/// Throws what a failed statement means. `sqlstate` is one of
/// https://www.postgresql.org/docs/15/errcodes-appendix.html, and WT001 for the input errors of
/// functions.sql. `text` is the primary message of the server.
[[noreturn]] void throw_statement_error(const std::string& address, std::string_view sqlstate,
                                        std::string_view text);

/// Whether a statement with this error has done nothing and may succeed on a new connection. The server stops
/// or starts then, or refuses to write because another one has taken over.
bool needs_new_connection(std::string_view sqlstate);
/// Whether a statement with this error has done nothing, and succeeds when it is repeated.
bool is_conflict(std::string_view sqlstate);

}  // namespace warptune::fleet::postgresql
