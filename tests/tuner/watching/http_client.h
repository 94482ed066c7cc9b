#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace warptune::tuner::watching {

/// An answer as a client received it. The status is 0 if the connection was closed before an answer.
struct ReceivedAnswer {
  int status = 0;
  std::map<std::string, std::string> headers;
  std::string body;
};

/// A connected socket to a port of this machine, or -1. `address` is a loopback address in words.
int connect_to(std::uint16_t port, const char* address = "127.0.0.1");

/// Sends a request with a `Host` header and reads the answer to its end.
ReceivedAnswer fetch(std::uint16_t port, const std::string& target, const std::string& host = "127.0.0.1",
                     const std::string& method = "GET");

/// `http://127.0.0.1:PORT/PATH` in its parts. The path keeps its first slash.
struct ServedAddress {
  std::uint16_t port = 0;
  std::string path;
};
/// The first such address in a text; a port of 0 if it has none.
ServedAddress address_in(const std::string& text);

}  // namespace warptune::tuner::watching
