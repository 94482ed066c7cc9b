// A server of PostgreSQL for tests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_store.h"
#include "fleet/postgresql/connection.h"
#include "tests/fleet/postgresql/server_cleaner.h"
#include "tests/temporary_folder.h"

namespace warptune::fleet::postgresql::testing {

/// The folder of the newest installed server's programs, or std::nullopt.
std::optional<std::filesystem::path> server_programs();

struct ServerOptions {
  std::vector<std::string> settings{};  ///< Further lines of postgresql.conf.
  int port = 5432;                      ///< Also a part of the socket's name.
  std::string access_rules{};  ///< pg_hba.conf. Empty: everybody may connect as anybody by the socket.
  bool is_durable = false;     ///< Writes to the disk before it answers (fsync).
  std::optional<std::filesystem::path>
      data_folder{};  ///< Instead of a folder within its own one. The log of transactions stays there.
};

/// A server in a temporary folder that listens on a Unix socket there. It has the user `postgres`, who may do
/// everything. It ends with this object or with the process, however that ends, and leaves nothing behind.
class TestServer {
 public:
  explicit TestServer(const ServerOptions& options = {});
  ~TestServer();
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;

  /// Starts the server again, after it was stopped or killed, and waits until it answers.
  void start();
  void stop();
  /// Ends the first process of the server by SIGKILL. The others notice that.
  void kill();
  pid_t process() const { return process_; }

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path log() const { return folder_ / "log"; }
  std::string uri(const std::string& database, const std::string& user) const;
  /// Runs statements as `postgres`.
  void run_script(const std::string& database, const std::string& statements) const;
  /// The first column of the first row of the answer to a statement of `postgres`.
  std::string value(const std::string& database, const std::string& statement) const;
  /// A database with an empty store. `give_database` returns one that is no longer needed.
  std::string take_database();
  void give_database(const std::string& name) { unused_.push_back(name); }
  /// A further name for a database.
  std::string next_database() { return "test" + std::to_string(++databases_); }

 private:
  bool answers() const;

  tests::TemporaryFolder
      folder_;  // In memory if there is room: then a slow disk does not decide how long it takes.
  std::filesystem::path data_;
  std::filesystem::path programs_;
  int port_;
  std::unique_ptr<ServerCleaner> cleaner_;
  pid_t process_ = 0;
  int databases_ = 0;
  std::vector<std::string> unused_{};  // Databases whose stores may have content.
};

/// The server that the tests of this program share. It is started when it is first needed, has the users
/// `administrator`, `node` and `reader`, and a database `made` with a store.
TestServer& shared_server();

/// An empty store in a database of a server like `shared_server`.
class TestStore {
 public:
  explicit TestStore(TestServer& server = shared_server());
  ~TestStore();
  TestStore(const TestStore&) = delete;
  TestStore& operator=(const TestStore&) = delete;

  TestServer& server() { return server_; }
  const std::string& database() const { return database_; }
  std::string uri(const std::string& user) const { return server_.uri(database_, user); }
  std::unique_ptr<FleetStore> connect(Access access) const;
  void age_leases(std::int64_t ms) const;
  void run_script(const std::string& statements) const { server_.run_script(database_, statements); }
  std::string value(const std::string& statement) const { return server_.value(database_, statement); }

 private:
  TestServer& server_;
  std::string database_;
};

/// Makes the users and the database `made` of `shared_server` on another server.
void prepare_store(TestServer& server);

}  // namespace warptune::fleet::postgresql::testing
