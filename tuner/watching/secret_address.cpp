#include "tuner/watching/secret_address.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/random.h"

namespace warptune::tuner::watching {

namespace {

// Compares in a time that does not depend on the position of the first difference.
bool is_secret(std::string_view given, std::string_view secret) {
  if (given.size() != secret.size()) return false;
  int difference = 0;
  for (std::size_t i = 0; i < secret.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(secret[i]);
  return difference == 0;
}

// What follows `/TOKEN/` in a path, or no value for another token.
std::optional<std::string> below_token(std::string_view path, std::string_view token) {
  const std::size_t end = path.find('/', 1);
  if (end == std::string_view::npos || !is_secret(path.substr(1, end - 1), token)) return std::nullopt;
  return std::string(path.substr(end + 1));
}

}  // namespace

std::string random_token() {
  return fmt::format("{:016x}{:016x}", base::unforeseen_seed(), base::unforeseen_seed());
}

std::string secret_address(std::uint16_t port, std::string_view token) {
  return fmt::format("http://127.0.0.1:{}/{}/", port, token);
}

std::optional<HttpAnswer> refused(const HttpRequest& request, std::string_view token, std::string& name) {
  if (!is_loopback_host(request.host))
    return HttpAnswer{403, kPlainText, {}, "this address is served to this machine only\n"};
  std::optional<std::string> below = below_token(request.path, token);
  if (!below) return HttpAnswer{403, kPlainText, {}, "the address has another token\n"};
  name = std::move(*below);
  return std::nullopt;
}

bool is_loopback_host(std::string_view host) {
  const std::size_t colon = host.find(':');
  const std::string_view name = host.substr(0, colon);
  const std::string_view port = colon == std::string_view::npos ? "" : host.substr(colon + 1);
  return (name == "127.0.0.1" || name == "localhost") &&
         port.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace warptune::tuner::watching
