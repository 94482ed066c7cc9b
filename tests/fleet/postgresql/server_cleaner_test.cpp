// What a server of a test leaves behind: nothing, however the test ends.
#include "tests/fleet/postgresql/server_cleaner.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "tests/child_process.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"

namespace warptune::fleet::postgresql::testing {
namespace {

// What a server has made.
struct Traces {
  std::filesystem::path folder{};
  pid_t process = 0;
  std::string memory{};  // The id of its shared memory.

  bool has_folder() const { return std::filesystem::exists(folder); }
  bool has_process() const {
    char place[1];
    return ::readlink(("/proc/" + std::to_string(process) + "/cwd").c_str(), place, sizeof place) > 0;
  }
  bool has_memory() const {
    std::ifstream list("/proc/sysvipc/shm");
    for (std::string line; std::getline(list, line);) {
      std::istringstream words(line);
      std::string key;
      std::string id;
      if (words >> key >> id && id == memory) return true;
    }
    return false;
  }
  bool are_all() const { return has_folder() && has_process() && has_memory(); }
  bool are_gone() const { return !has_folder() && !has_process() && !has_memory(); }
};

std::ostream& operator<<(std::ostream& out, const Traces& traces) {
  return out << traces.folder << ' ' << traces.process << ' ' << traces.memory << '\n';
}

Traces traces_of(const TestServer& server) {
  Traces traces{server.folder(), server.process(), {}};
  std::ifstream file(server.folder() / "data/postmaster.pid");
  std::string line;
  for (int number = 1; number <= 7; ++number) std::getline(file, line);
  std::istringstream words(line);
  words >> line >> traces.memory;
  return traces;
}

// Runs `end_test` with a server in a process of its own, which is then killed. Returns what the server had
// made.
template <class Work>
Traces traces_of_killed_test(const Work& end_test) {
  const tests::TemporaryFolder folder;
  const auto told = folder / "told";
  const pid_t child = tests::fork_with([&] {
    TestServer server;
    std::ofstream(folder / "telling") << traces_of(server);
    end_test(server);
    std::filesystem::rename(folder / "telling", told);
    for (;;) ::pause();
  });
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!std::filesystem::exists(told) && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  ::kill(child, SIGKILL);
  tests::exit_status(child);
  Traces traces;
  std::ifstream(told) >> traces.folder >> traces.process >> traces.memory;
  return traces;
}

void expect_gone_soon(const Traces& traces) {
  ASSERT_FALSE(traces.memory.empty()) << "no server was started";
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!traces.are_gone() && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_FALSE(traces.has_folder());
  EXPECT_FALSE(traces.has_process());
  EXPECT_FALSE(traces.has_memory());
}

TEST(ServerCleanerTest, AServerThatEndsWithItsTestLeavesNothing) {
  REQUIRE_SERVER();
  auto server = std::make_unique<TestServer>();
  const Traces traces = traces_of(*server);
  EXPECT_TRUE(traces.are_all()) << "there is something to be removed";
  server.reset();
  EXPECT_TRUE(traces.are_gone());
}

TEST(ServerCleanerTest, AServerThatWasKilledLeavesNothing) {
  REQUIRE_SERVER();
  auto server = std::make_unique<TestServer>();
  const Traces traces = traces_of(*server);
  server->kill();
  EXPECT_TRUE(traces.has_memory()) << "there is something to be removed";
  server.reset();
  EXPECT_TRUE(traces.are_gone());
}

TEST(ServerCleanerTest, AKilledTestLeavesNothing) {
  REQUIRE_SERVER();
  expect_gone_soon(traces_of_killed_test([](TestServer&) {}));
  expect_gone_soon(traces_of_killed_test([](TestServer& server) { server.kill(); }));
}

}  // namespace
}  // namespace warptune::fleet::postgresql::testing
