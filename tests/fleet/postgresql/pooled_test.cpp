// A pooler between clients and server: pgbouncer, which gives each transaction another connection.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <thread>

#include "base/error.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/ordinary_user.h"
#include "tests/fleet/postgresql/required_server.h"
#include "tests/fleet/postgresql/test_server.h"
#include "tests/fleet/store_contract.h"

namespace warptune::fleet::postgresql::testing {

using namespace fleet::testing;

using namespace std::chrono_literals;

constexpr const char* kPooler = "/usr/sbin/pgbouncer";

// pgbouncer with two connections to a server, on a socket beside the server's.
class Pooler {
 public:
  explicit Pooler(const TestServer& server) : folder_(server.folder()) {
    std::ofstream(folder_ / "users.txt") << "\"node\" \"\"\n\"administrator\" \"\"\n";
    std::ofstream(folder_ / "pgbouncer.ini") << fmt::format(
        "[databases]\n* = host={0}\n[pgbouncer]\npool_mode = transaction\ndefault_pool_size = 2\nauth_type = "
        "trust\n"
        "auth_file = {0}/users.txt\nunix_socket_dir = {0}\nlisten_port = 6432\nlogfile = {0}/pooler.log\n",
        folder_.string());
    process_ = start_program({kPooler, folder_ / "pgbouncer.ini"}, folder_ / "pooler.out");
  }
  ~Pooler() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  Pooler(const Pooler&) = delete;
  Pooler& operator=(const Pooler&) = delete;

  std::unique_ptr<FleetStore> connect(const std::string& database, const std::string& user,
                                      Access access) const {
    const std::string uri =
        fmt::format("postgresql://{}@/{}?host={}&port=6432", user, database, folder_.string());
    for (int attempt = 0;; ++attempt) {
      try {
        return postgresql::open_postgresql_store(uri, access);
      } catch (const base::MachineError&) {
        if (attempt == 200) throw;
        std::this_thread::sleep_for(10ms);
      }
    }
  }

 private:
  std::filesystem::path folder_;
  pid_t process_ = 0;
};

TEST(PooledTest, ManyNodesShareTwoConnections) {
  REQUIRE_SERVER();
  if (!std::filesystem::exists(kPooler)) GTEST_SKIP() << "pgbouncer is not installed (scripts/setup checks)";
  const TestStore store;
  const Pooler pooler(shared_server());
  pooler.connect(store.database(), "administrator", Access::kAdministrator)
      ->add_campaign(campaign_of("one", {class_of("sgemm")}, 60));
  std::vector<std::thread> nodes;
  std::atomic<int> finished = 0;
  for (int i = 0; i < 8; ++i)
    nodes.emplace_back([&, i] {
      const std::string id(32, static_cast<char>('a' + i));
      const auto node = pooler.connect(store.database(), "node", Access::kNode);
      node->enter_node(node_of(id));
      while (const auto lease = node->lease(id, {{"one", 0}})) {
        node->publish({lease->key, id, 0}, "rows");
        node->heartbeat(id, {lease->key});
        if (node->finish(id, lease->key, {})) ++finished;
      }
    });
  for (std::thread& node : nodes) node.join();
  EXPECT_EQ(finished, 60);
  EXPECT_EQ(store.value("SELECT count(*) FROM warptune.batch"), "60");
  EXPECT_LE(std::stoi(store.value("SELECT count(*) FROM pg_stat_activity WHERE usename = 'node'")), 2);
}

}  // namespace warptune::fleet::postgresql::testing
