// Clients work while the server and its processes are killed: what was acknowledged is there afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

using namespace std::chrono_literals;

constexpr int kClients = 6;

// What clients were told.
struct Acknowledged {
  std::mutex mutex{};
  std::map<BatchName, std::string> batches{};
  std::map<std::uint64_t, int> finished{};  // How many reports have closed a task.
};

// Repeats a call until the store answers.
template <class Action>
auto until_answered(Action&& action) {
  while (true) {
    try {
      return action();
    } catch (const base::MachineError&) {
      std::this_thread::sleep_for(50ms);  // Each attempt costs the server a process.
    }
  }
}

std::unique_ptr<FleetStore> connect_as_node(const TestStore& store) {
  return until_answered([&] { return store.connect(Access::kNode); });
}

void work_on_task(FleetStore& store, const std::string& id, const Lease& lease, Acknowledged& told,
                  std::minstd_rand& random) {
  for (std::uint64_t i = 0; i < 3; ++i) {
    const BatchName name{lease.key, id, i};
    const std::string bytes =
        fmt::format("{} {} {} {}", lease.key.task, lease.key.fence, i, std::string(random() % 30'000, 'x'));
    until_answered([&] { store.publish(name, bytes); });
    const std::lock_guard lock(told.mutex);
    told.batches[name] = bytes;
  }
  until_answered([&] { store.heartbeat(id, {lease.key}); });
  const bool has_closed = until_answered([&] { return store.finish(id, lease.key, {}); });
  const std::lock_guard lock(told.mutex);
  told.finished[lease.key.task] += has_closed ? 1 : 0;
}

class CrashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    REQUIRE_SERVER();
    server_ = std::make_unique<TestServer>(ServerOptions{{}, 5432, {}, true, {}});
    prepare_store(*server_);
    store_ = std::make_unique<TestStore>(*server_);
  }

  // Clients work on one task after the other until `disturb`, which is called again and again, returns false.
  // There should be more tasks than they finish.
  void work_while(std::uint64_t tasks, const std::function<bool(std::minstd_rand&)>& disturb) {
    store_->connect(Access::kAdministrator)->add_campaign(campaign_of("one", {class_of("sgemm")}, tasks));
    std::atomic<bool> is_over = false;
    std::vector<std::thread> clients;
    clients.reserve(kClients);
    for (int i = 0; i < kClients; ++i)
      clients.emplace_back([&, i] {
        std::minstd_rand random(static_cast<unsigned>(i + 1));
        const std::string id(32, static_cast<char>('a' + i));
        const auto store = connect_as_node(*store_);
        until_answered([&] { store->enter_node(node_of(id)); });
        while (!is_over) {
          const auto lease = until_answered([&] { return store->lease(id, {{"one", 0}}); });
          if (!lease) return;
          work_on_task(*store, id, *lease, told_, random);
        }
      });
    std::minstd_rand random(99);
    while (disturb(random)) continue;
    is_over = true;
    for (std::thread& client : clients) client.join();
  }

  void kill_server() {
    server_->kill();
    server_->start();
    ++kills_;
  }
  // A process of the server ends, so that the server ends all others and recovers.
  void kill_backend(std::minstd_rand& random) {
    try {
      const std::string found = server_->value(
          "postgres",
          fmt::format(
              "SELECT string_agg(pid::text, ' ' ORDER BY pid) FROM pg_stat_activity WHERE usename = 'node'"));
      std::istringstream words(found);
      std::vector<pid_t> backends;
      for (pid_t pid = 0; words >> pid;) backends.push_back(pid);
      if (backends.empty()) return;
      ::kill(backends[random() % backends.size()], SIGKILL);
      ++kills_;
    } catch (const base::Error&) {  // The server recovers.
    }
  }

  void expect_all_is_there() {
    const auto store = until_answered([&] { return store_->connect(Access::kReader); });
    const std::vector<BatchName> list = store->batches({}, "").batches;
    const std::set<BatchName> listed(list.begin(), list.end());
    EXPECT_EQ(listed.size(), list.size());
    for (const auto& [name, bytes] : told_.batches) {
      ASSERT_EQ(listed.count(name), 1U);
      ASSERT_EQ(store->batch(name), bytes);
    }
    std::size_t closed = 0;
    for (const TaskRecord& record : store->tasks("one")) {
      if (record.state == TaskState::kDone) {
        ++closed;
        EXPECT_EQ(told_.finished[record.task], 1) << record.task;
        EXPECT_EQ(record.attempts.size(), 1U) << "a lease whose answer was lost was not given again";
      } else {
        EXPECT_EQ(record.state, TaskState::kOpen);
        EXPECT_TRUE(record.attempts.empty()) << "all clients have reported";
      }
    }
    EXPECT_EQ(closed, told_.finished.size());
    EXPECT_EQ(told_.batches.size(), 3 * closed);
    RecordProperty("tasks", static_cast<int>(closed));
  }
  int kills() const { return kills_; }

 private:
  std::unique_ptr<TestServer> server_;
  std::unique_ptr<TestStore> store_;
  Acknowledged told_{};
  int kills_ = 0;
};

TEST_F(CrashTest, NothingAcknowledgedIsLostWhenTheServerIsKilled) {
  work_while(4'000, [&](std::minstd_rand& random) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100 + random() % 100));
    if (kills() == 2) return false;
    kill_server();
    return true;
  });
  expect_all_is_there();
}

using LongCrashTest = CrashTest;

TEST_F(LongCrashTest, NothingAcknowledgedIsLostWhenTheServerAndItsProcessesAreKilled) {
  int servers = 0;
  work_while(20'000, [&](std::minstd_rand& random) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 200));
    if (servers < 50 && random() % 3 != 0) {
      kill_server();
      ++servers;
    } else {
      kill_backend(random);
    }
    return servers < 50 || kills() < 75;
  });
  expect_all_is_there();
}

}  // namespace warptune::fleet::postgresql::testing
