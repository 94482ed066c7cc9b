// Addresses of pages that are served to browsers of one user on this machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tuner/watching/loopback_server.h"

namespace warptune::tuner::watching {

/// The content type of plain text.
inline constexpr const char* kPlainText = "text/plain; charset=utf-8";

/// A token that nobody can guess: 32 hexadecimal digits.
std::string random_token();
/// `http://127.0.0.1:PORT/TOKEN/`.
std::string secret_address(std::uint16_t port, std::string_view token);

/// The answer to a request that must not be served: its `Host` header is not a loopback name, or its path has
/// another token. The header is compared because a web page may let its own host name resolve to this machine
/// (DNS rebinding). Without an answer, `name` is what follows `/TOKEN/` in the path.
std::optional<HttpAnswer> refused(const HttpRequest& request, std::string_view token, std::string& name);

/// Whether a `Host` header is a loopback name of this machine, with any port: a browser elsewhere may come
/// through a forwarded port.
bool is_loopback_host(std::string_view host);

}  // namespace warptune::tuner::watching
