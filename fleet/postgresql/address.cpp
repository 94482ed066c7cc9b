// libpq fills in what a URI leaves out, from the environment and from the user's service file
// (https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-PARAMKEYWORDS).
#include "fleet/postgresql/address.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "fleet/postgresql/libpq.h"

namespace warptune::fleet::postgresql {

namespace {

using Parts = std::map<std::string, std::string>;

Parts given_parts(const PQconninfoOption* options) {
  Parts parts;
  for (const PQconninfoOption* option = options; option != nullptr && option->keyword != nullptr; ++option)
    if (option->val != nullptr) parts[option->keyword] = option->val;
  return parts;
}

std::string part(const Parts& parts, const std::string& name) {
  const auto found = parts.find(name);
  return found == parts.end() ? "" : found->second;
}

bool is_local(const std::string& host) {
  return host.empty() || host.front() == '/' || host.front() == '@' || host == "localhost" ||
         host == "127.0.0.1" || host == "::1";
}

bool has_remote_host(const std::string& hosts) {
  const std::vector<std::string> each = base::split(hosts, ',');
  return std::any_of(each.begin(), each.end(), [](const std::string& host) { return !is_local(host); });
}

// libpq's own default is to accept any server, with or without TLS. It shows as `prefer`.
bool needs_verification(const Parts& parts) {
  if (parts.count("sslmode") != 0 || parts.count("service") != 0) return false;
  const OptionsHandle defaults(libpq().PQconndefaults());
  const Parts environment = given_parts(defaults.get());
  if (part(environment, "sslmode") != "prefer") return false;
  for (const char* name : {"hostaddr", "host"}) {
    const std::string& hosts = parts.count(name) != 0 ? part(parts, name) : part(environment, name);
    if (has_remote_host(hosts)) return true;
  }
  return false;
}

std::string shown_address(const Parts& parts) {
  std::string shown = "postgresql://";
  if (const std::string user = part(parts, "user"); !user.empty()) shown += user + "@";
  std::string host = part(parts, "host");
  if (host.empty()) host = part(parts, "hostaddr");
  if (host.find(':') != std::string::npos) host = "[" + host + "]";
  if (host.find('/') != std::string::npos) {  // A folder cannot stand where a URI has the host.
    shown += "/" + part(parts, "dbname") + "?host=" + host;
    if (const std::string port = part(parts, "port"); !port.empty()) shown += "&port=" + port;
    return shown;
  }
  shown += host;
  if (const std::string port = part(parts, "port"); !port.empty()) shown += ":" + port;
  shown += "/" + part(parts, "dbname");
  if (const std::string service = part(parts, "service"); !service.empty()) shown += "?service=" + service;
  return shown;
}

}  // namespace

Address read_address(const std::string& uri) {
  char* reason = nullptr;
  const bool is_uri = uri.starts_with("postgresql://") || uri.starts_with("postgres://");
  const OptionsHandle options(is_uri ? libpq().PQconninfoParse(uri.c_str(), &reason) : nullptr);
  if (reason != nullptr) libpq().PQfreemem(reason);  // It repeats parts of the URI.
  if (!options)
    throw base::InputError(
        "the address of the store is not a connection URI of PostgreSQL; expected "
        "postgresql://USER@HOST/DATABASE, with special characters as %XX");
  const Parts parts = given_parts(options.get());
  Address address;
  address.shown = shown_address(parts);
  // A server that has vanished is noticed by these times, in s and ms.
  address.parameters = {{"connect_timeout", "10"},     {"keepalives_idle", "10"},
                        {"keepalives_interval", "5"},  {"keepalives_count", "3"},
                        {"tcp_user_timeout", "30000"}, {"fallback_application_name", "warptune"}};
  if (needs_verification(parts)) address.parameters.emplace_back("sslmode", "verify-full");
  address.parameters.emplace_back("dbname", uri);
  address.parameters.emplace_back("client_encoding", "UTF8");
  return address;
}

}  // namespace warptune::fleet::postgresql
