// An HTTP server that only programs of this machine can reach.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warptune::tuner::watching {

/// A GET request.
struct HttpRequest {
  std::string host;   ///< The `Host` header: the name under which the browser knows the server.
  std::string path;   ///< The target up to the question mark: `/data`.
  std::string query;  ///< The rest, without the question mark: `after=7&page=5`.
};

struct HttpAnswer {
  unsigned status = 200;
  std::string content_type;
  std::vector<std::pair<std::string, std::string>> headers{};  ///< Further headers.
  std::string body{};
};

/// Answers GET requests on 127.0.0.1, on a thread of its own with a low priority. Other machines cannot
/// connect. Other users of this machine can, so the answers must depend on a secret.
///
/// Connections that send nothing are closed after half a minute, and at most 32 are open at a time. So a
/// program that connects and waits cannot keep others out for long.
class LoopbackServer {
 public:
  /// Gives the answer to a request, on the server's thread. Without an answer, the request is held, and the
  /// function is asked again a few times a second. A request that was held for `longest_wait` is answered
  /// with status 204. If the function throws, the answer has status 500 and the log has the message.
  using Answerer = std::function<std::optional<HttpAnswer>(const HttpRequest&)>;

  static constexpr std::chrono::milliseconds kLongestWait{20000};

  /// Listens on `port`, or on a free port if it has no value. Throws `base::MachineError` when another
  /// program has the port or the system refuses it.
  LoopbackServer(std::optional<std::uint16_t> port, Answerer answer,
                 std::chrono::milliseconds longest_wait = kLongestWait);
  /// Closes all connections, after the answer that is being computed.
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const;

 private:
  class Connection;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warptune::tuner::watching
