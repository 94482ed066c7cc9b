#include "tuner/watching/loopback_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>

#include "base/error.h"
#include "tests/tuner/watching/http_client.h"

namespace warptune::tuner::watching {
namespace {

using ::testing::HasSubstr;

TEST(LoopbackServerTest, AnswersAGetRequestWithItsParts) {
  const LoopbackServer server({}, [](const HttpRequest& request) {
    return HttpAnswer{
        200, "text/plain", {{"X-More", "more"}}, request.host + " " + request.path + " " + request.query};
  });
  const ReceivedAnswer answer = fetch(server.port(), "/a/b?c=d&e", "somewhere:80");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "somewhere:80 /a/b c=d&e");
  EXPECT_EQ(answer.headers.at("Content-Type"), "text/plain");
  EXPECT_EQ(answer.headers.at("X-More"), "more");
  EXPECT_EQ(answer.headers.at("Cache-Control"), "no-store");
  EXPECT_FALSE(answer.headers.contains("Access-Control-Allow-Origin")) << "no other page may read it";
}

TEST(LoopbackServerTest, ListensOnOneAddressOfThisMachineOnly) {
  const LoopbackServer server({}, [](const HttpRequest&) { return HttpAnswer{}; });
  const int own = connect_to(server.port());
  EXPECT_GE(own, 0);
  ::close(own);
  EXPECT_EQ(connect_to(server.port(), "127.0.0.2"), -1) << "a server of all addresses would answer here";
}

TEST(LoopbackServerTest, RefusesOtherMethods) {
  std::atomic<int> asked = 0;
  const LoopbackServer server({}, [&](const HttpRequest&) {
    ++asked;
    return HttpAnswer{};
  });
  EXPECT_EQ(fetch(server.port(), "/", "h", "DELETE").status, 405);
  EXPECT_EQ(fetch(server.port(), "/", "h", "POST").status, 405);
  EXPECT_EQ(asked, 0);
}

TEST(LoopbackServerTest, HoldsARequestUntilThereIsAnAnswer) {
  std::atomic<int> asked = 0;
  const LoopbackServer server({}, [&](const HttpRequest&) -> std::optional<HttpAnswer> {
    if (++asked < 3) return std::nullopt;
    return HttpAnswer{200, "text/plain", {}, "now"};
  });
  EXPECT_EQ(fetch(server.port(), "/").body, "now");
  EXPECT_EQ(asked, 3);
}

TEST(LoopbackServerTest, EndsARequestThatWasHeldForTooLong) {
  const LoopbackServer server(
      {}, [](const HttpRequest&) { return std::nullopt; }, std::chrono::milliseconds(100));
  const ReceivedAnswer answer = fetch(server.port(), "/");
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
}

// The server asks again for each request that it holds, at the same intervals. So one that stays shows how
// often the other would have been asked for.
TEST(LoopbackServerTest, ForgetsAHeldRequestWhoseClientHasGone) {
  std::atomic<int> asked = 0;
  std::atomic<int> asked_for_other = 0;
  const LoopbackServer server({}, [&](const HttpRequest& request) -> std::optional<HttpAnswer> {
    ++(request.path == "/other" ? asked_for_other : asked);
    return std::nullopt;
  });
  const int client = connect_to(server.port());
  const int other = connect_to(server.port());
  ASSERT_EQ(::send(client, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
  ASSERT_EQ(::send(other, "GET /other HTTP/1.1\r\n\r\n", 23, 0), 23);
  while (asked == 0 || asked_for_other == 0) ::usleep(1000);
  ::close(client);
  const int asked_then = asked;
  const int other_then = asked_for_other;
  while (asked_for_other < other_then + 5) ::usleep(1000);
  EXPECT_LE(asked, asked_then + 1) << "it notices that the client has gone when it has asked";
  ::close(other);
}

TEST(LoopbackServerTest, AnswersOthersWhileItHoldsARequestAndAfterAFailure) {
  const LoopbackServer server({}, [](const HttpRequest& request) -> std::optional<HttpAnswer> {
    if (request.path == "/held") return std::nullopt;
    if (request.path == "/bad") throw std::runtime_error("a secret of the program");
    return HttpAnswer{200, "", {}, "fine"};
  });
  const int held = connect_to(server.port());
  ASSERT_EQ(::send(held, "GET /held HTTP/1.1\r\n\r\n", 22, 0), 22);
  const ReceivedAnswer failed = fetch(server.port(), "/bad");
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(failed.body, ::testing::Not(HasSubstr("secret")));
  EXPECT_EQ(fetch(server.port(), "/").body, "fine");
  ::close(held);
}

TEST(LoopbackServerTest, AnswersSeveralRequestsOfOneConnectionAndDropsWhatIsNotHttp) {
  const LoopbackServer server({}, [](const HttpRequest&) { return HttpAnswer{200, "", {}, "one"}; });
  const int client = connect_to(server.port());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(::send(client, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
    std::string text;
    char part[512];
    while (text.find("\r\n\r\none") == std::string::npos) {
      const ssize_t got = ::recv(client, part, sizeof part, 0);
      ASSERT_GT(got, 0) << text;
      text.append(part, static_cast<std::size_t>(got));
    }
  }
  ASSERT_EQ(::send(client, "no request\r\n\r\n", 14, 0), 14);
  char rest = 0;
  EXPECT_EQ(::recv(client, &rest, 1, 0), 0) << "the connection is closed";
  ::close(client);
}

TEST(LoopbackServerTest, KeepsOthersOutOnlyWhileItsConnectionsAreOpen) {
  const LoopbackServer server({}, [](const HttpRequest&) { return HttpAnswer{200, "", {}, "fine"}; });
  std::vector<int> idle;
  for (int i = 0; i < 32; ++i) idle.push_back(connect_to(server.port()));
  EXPECT_EQ(fetch(server.port(), "/").status, 0) << "too many are open";
  for (const int client : idle) ::close(client);
  ReceivedAnswer answer;
  for (int i = 0; i < 500 && answer.status == 0; ++i) {
    ::usleep(10'000);
    answer = fetch(server.port(), "/");
  }
  EXPECT_EQ(answer.body, "fine");
}

TEST(LoopbackServerTest, SaysThatAPortIsInUse) {
  const LoopbackServer server({}, [](const HttpRequest&) { return HttpAnswer{}; });
  try {
    const LoopbackServer second(server.port(), [](const HttpRequest&) { return HttpAnswer{}; });
    FAIL();
  } catch (const base::MachineError& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(server.port()) + " of 127.0.0.1 cannot be used"));
    EXPECT_THAT(error.what(), HasSubstr("in use"));
  }
}

TEST(LoopbackServerTest, ItsThreadHasALowPriorityAndOthersKeepTheirs) {
  const int before = ::getpriority(PRIO_PROCESS, 0);
  std::atomic<int> within = 0;
  const LoopbackServer server({}, [&](const HttpRequest&) {
    within = ::getpriority(PRIO_PROCESS, 0);
    return HttpAnswer{200, "", {}, ""};
  });
  EXPECT_EQ(fetch(server.port(), "/").status, 200);
  EXPECT_GE(within, 10);
  EXPECT_EQ(::getpriority(PRIO_PROCESS, 0), before);
}

TEST(LoopbackServerTest, ClosesOpenConnectionsAtItsEnd) {
  std::atomic<bool> asked = false;
  std::optional<LoopbackServer> server;
  server.emplace(std::nullopt, [&](const HttpRequest&) -> std::optional<HttpAnswer> {
    asked = true;
    return std::nullopt;
  });
  const std::uint16_t port = server->port();
  const int client = connect_to(port);
  ASSERT_EQ(::send(client, "GET / HTTP/1.1\r\n\r\n", 18, 0), 18);
  while (!asked) ::usleep(1000);
  server.reset();
  char rest = 0;
  EXPECT_LE(::recv(client, &rest, 1, 0), 0);
  ::close(client);
  EXPECT_EQ(connect_to(port), -1);
}

}  // namespace
}  // namespace warptune::tuner::watching
