#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "fleet/fleet_store.h"
#include "fleet/postgresql/postgresql_store.h"
#include "fleet/spool/spool_store.h"

namespace warptune::fleet {

namespace {

constexpr std::string_view kSpool = "spool:";
constexpr std::string_view kDatabases[] = {"postgresql://", "postgres://"};

bool is_database(std::string_view address) {
  for (const std::string_view prefix : kDatabases)
    if (address.substr(0, prefix.size()) == prefix) return true;
  return false;
}

// The folder of a spool. Throws if the address is of no known kind. The message does not repeat the address,
// which may contain a password.
std::string spool_folder(const std::string& address) {
  const bool is_spool = std::string_view(address).substr(0, kSpool.size()) == kSpool;
  if (is_spool && address.size() > kSpool.size()) return address.substr(kSpool.size());
  throw base::InputError(is_spool ? "the address of the store names no folder: expected spool:FOLDER"
                                  : "expected the address of a store: spool:FOLDER or "
                                    "postgresql://USER@HOST/DATABASE");
}

// Names of parameters may have letters as %XX.
std::string decoded(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char letter = 0;
    const char* const digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, letter, 16).ptr == digits + 2) {
      plain += static_cast<char>(letter);
      at += 2;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

}  // namespace

bool is_store_address(std::string_view text) {
  return text.substr(0, kSpool.size()) == kSpool || is_database(text);
}

bool has_password(std::string_view address) {
  if (!is_database(address)) return false;
  const std::string_view rest = address.substr(address.find("://") + 3);
  const std::string_view authority = rest.substr(0, rest.find_first_of("/?"));
  const std::size_t user_end = authority.rfind('@');
  if (user_end != std::string_view::npos && authority.substr(0, user_end).find(':') != std::string_view::npos)
    return true;
  const std::size_t question = rest.find('?');
  if (question == std::string_view::npos) return false;
  const std::vector<std::string> parameters = base::split(rest.substr(question + 1), '&');
  return std::any_of(parameters.begin(), parameters.end(), [](const std::string& parameter) {
    const std::string name = decoded(std::string_view(parameter).substr(0, parameter.find('=')));
    return name == "password" || name == "sslpassword";
  });
}

std::unique_ptr<FleetStore> open_store(const std::string& address, Access access) {
  if (is_database(address)) return postgresql::open_postgresql_store(address, access);
  return spool::open_spool_store(spool_folder(address), access);
}

std::unique_ptr<FleetStore> make_store(const std::string& address) {
  if (is_database(address)) return postgresql::make_postgresql_store(address);
  return spool::make_spool_store(spool_folder(address));
}

}  // namespace warptune::fleet
