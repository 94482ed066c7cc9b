// Connection URIs: what is given to libpq, and what messages may show of it.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace warptune::fleet::postgresql {

/// A connection URI that was read.
struct Address {
  /// `postgresql://USER@HOST:PORT/DATABASE`, with those parts that the URI has. Never has a password.
  std::string shown;
  /// Parameters for libpq, in order: defaults of warptune, the URI, and what nothing may replace.
  std::vector<std::pair<std::string, std::string>> parameters;
};

/// Reads a connection URI. Servers on other machines must show a certificate with their name (`sslmode`
/// `verify-full`), unless the URI, PGSSLMODE or a service file says otherwise. Throws `base::InputError`,
/// without repeating the text, which may have a password, if libpq cannot read it.
Address read_address(const std::string& uri);

}  // namespace warptune::fleet::postgresql
