#include "tuner/watching/loopback_server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <exception>
#include <thread>

#include "base/error.h"
#include "base/log.h"

namespace warptune::tuner::watching {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

namespace {

constexpr int kMaxConnections = 32;
constexpr unsigned kMaxHeaderBytes = 8192;
// A connection without traffic is closed after this time.
constexpr std::chrono::seconds kIdleLimit{30};
// The time after which a request that has no answer yet is tried again.
constexpr std::chrono::milliseconds kAskAgain{200};
// Measuring and compiling come before the report.
constexpr int kNice = 10;

HttpRequest request_of(const http::request<http::empty_body>& message) {
  const std::string target(message.target());
  const std::size_t mark = target.find('?');
  return {std::string(message[http::field::host]), target.substr(0, mark),
          mark == std::string::npos ? "" : target.substr(mark + 1)};
}

tcp::acceptor listen_on(asio::io_context& context, std::optional<std::uint16_t> port) {
  try {
    return {context, tcp::endpoint(asio::ip::address_v4::loopback(), port.value_or(0))};
  } catch (const boost::system::system_error& error) {
    throw base::MachineError(
        fmt::format("the port {} of 127.0.0.1 cannot be used: {}", port.value_or(0), error.code().message()),
        "give another port, or none: then a free one is chosen");
  }
}

}  // namespace

struct LoopbackServer::State {
  State(std::optional<std::uint16_t> port, Answerer asked, std::chrono::milliseconds wait)
      : acceptor(listen_on(context, port)), pause(context), answer(std::move(asked)), longest_wait(wait) {}

  void accept();
  void accept_later();
  void run();

  int connections = 0;  // Before `context`, whose destructor destroys connections: each changes this number.
  asio::io_context context{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  Answerer answer;
  std::chrono::milliseconds longest_wait;
  std::thread thread;
};

// Each waiting operation of a connection holds a pointer to it. The last one that ends destroys it.
class LoopbackServer::Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(State& server, tcp::socket socket)
      : server_(server), stream_(std::move(socket)), retry_(server.context) {
    ++server_.connections;
  }
  ~Connection() { --server_.connections; }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    stream_.expires_after(kIdleLimit);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->take();
                     });
  }

 private:
  void take() {
    const http::request<http::empty_body>& message = parser_->get();
    keep_alive_ = message.keep_alive();
    if (message.method() != http::verb::get) return write({405, "text/plain", {{"Allow", "GET"}}, ""});
    request_ = request_of(message);
    give_up_ = std::chrono::steady_clock::now() + server_.longest_wait;
    ask();
  }

  void ask() {
    try {
      if (std::optional<HttpAnswer> answer = server_.answer(request_)) return write(std::move(*answer));
    } catch (const std::exception& error) {
      base::log_debug(fmt::format("a request of the watched report failed: {}", error.what()));
      return write({500, "text/plain; charset=utf-8", {}, "warptune could not answer; see its log\n"});
    }
    if (std::chrono::steady_clock::now() >= give_up_) return write({204, "", {}, ""});
    if (is_closed()) return;
    retry_.expires_after(kAskAgain);
    retry_.async_wait([self = shared_from_this()](beast::error_code error) {
      if (!error) self->ask();
    });
  }

  // Whether the browser has gone while its request was held.
  bool is_closed() {
    char next = 0;
    return ::recv(stream_.socket().native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  void write(HttpAnswer answer) {
    response_ = {};
    response_.result(answer.status);
    response_.version(11);
    response_.keep_alive(keep_alive_);
    if (!answer.content_type.empty()) response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Cross-Origin-Resource-Policy", "same-origin");
    response_.set("Content-Security-Policy", "frame-ancestors 'none'");
    for (const auto& [name, value] : answer.headers) response_.set(name, value);
    response_.body() = std::move(answer.body);
    response_.prepare_payload();
    stream_.expires_after(kIdleLimit);
    http::async_write(stream_, response_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error && self->keep_alive_) self->read();
    });
  }

  State& server_;
  beast::tcp_stream stream_;
  asio::steady_timer retry_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  HttpRequest request_;
  http::response<http::string_body> response_;
  std::chrono::steady_clock::time_point give_up_;
  bool keep_alive_ = false;
};

void LoopbackServer::State::accept() {
  acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
    if (error) return accept_later();
    if (connections < kMaxConnections) std::make_shared<Connection>(*this, std::move(socket))->read();
    accept();
  });
}

// The process may have too many open files for a while.
void LoopbackServer::State::accept_later() {
  pause.expires_after(kAskAgain);
  pause.async_wait([this](beast::error_code error) {
    if (!error) accept();
  });
}

void LoopbackServer::State::run() {
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNice);
  context.run();
}

LoopbackServer::LoopbackServer(std::optional<std::uint16_t> port, Answerer answer,
                               std::chrono::milliseconds longest_wait)
    : state_(std::make_unique<State>(port, std::move(answer), longest_wait)) {
  state_->accept();
  // The thread inherits blocked signals, so the session's thread receives them.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, &before);
  state_->thread = std::thread([this] { state_->run(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LoopbackServer::~LoopbackServer() {
  state_->context.stop();
  state_->thread.join();
}

std::uint16_t LoopbackServer::port() const { return state_->acceptor.local_endpoint().port(); }

}  // namespace warptune::tuner::watching
