#include "tests/fleet/postgresql/test_server.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/ordinary_user.h"

namespace warptune::fleet::postgresql::testing {

namespace fs = std::filesystem;

using namespace std::chrono_literals;

namespace {

constexpr auto kStartLimit = 60s;
constexpr std::uintmax_t kRoom = std::uintmax_t{4}
                                 << 30;  // Some servers at once, each with its log of transactions.

fs::path roomy_folder() {
  const fs::path memory = "/dev/shm";
  std::error_code error;
  const fs::space_info space = fs::space(memory, error);
  return !error && space.available >= kRoom && ::access(memory.c_str(), W_OK) == 0
             ? memory
             : fs::temp_directory_path();
}

void write_settings(const fs::path& data, const fs::path& sockets, const ServerOptions& options) {
  std::ofstream file(data / "postgresql.conf", std::ios::app);
  file << "\nunix_socket_directories = '" << sockets.string()
       << "'\nlisten_addresses = ''\nport = " << options.port << "\n"
       << "shared_buffers = 32MB\nmax_connections = 120\nlog_min_messages = warning\n"
       << "dynamic_shared_memory_type = mmap\n";  // Shared memory that is removed with the folder.
  if (!options.is_durable) file << "fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n";
  for (const std::string& line : options.settings) file << line << '\n';
  if (!options.access_rules.empty()) std::ofstream(data / "pg_hba.conf") << options.access_rules;
}

}  // namespace

std::optional<fs::path> server_programs() {
  std::optional<fs::path> newest;
  int newest_version = 0;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const int version = std::atoi(entry.path().filename().c_str());
    if (version <= newest_version || !fs::exists(entry.path() / "bin" / "initdb")) continue;
    newest_version = version;
    newest = entry.path() / "bin";
  }
  return newest;
}

TestServer::TestServer(const ServerOptions& options)
    : folder_(roomy_folder()),
      data_(options.data_folder.value_or(folder_ / "data")),
      programs_(server_programs().value()),
      port_(options.port),
      cleaner_(std::make_unique<ServerCleaner>(folder(), data_)) {
  give_to_ordinary_user(folder());
  run_program({programs_ / "initdb", "-D", data_, "-U", "postgres", "-A", "trust", "--no-sync",
               "--locale=C.UTF-8", "--no-instructions"},
              folder_ / "initdb.log");
  write_settings(data_, folder(), options);
  start();
}

TestServer::~TestServer() {
  cleaner_.reset();
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

// A server whose first process was killed can start only when all its other processes have ended. Until then
// each attempt ends by itself.
void TestServer::start() {
  const auto end = std::chrono::steady_clock::now() + kStartLimit;
  process_ = 0;
  while (std::chrono::steady_clock::now() < end) {
    if (process_ == 0) process_ = start_program({programs_ / "postgres", "-D", data_}, log());
    if (answers()) return;
    if (::waitpid(process_, nullptr, WNOHANG) == process_) process_ = 0;
    std::this_thread::sleep_for(20ms);
  }
  throw std::runtime_error("the server does not start: " + base::read_file(log()));
}

bool TestServer::answers() const {
  try {
    postgresql::Connection connection(uri("postgres", "postgres"));
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

void TestServer::stop() {
  if (process_ <= 0) return;
  ::kill(process_, SIGINT);  // A fast shutdown: connections are ended.
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

void TestServer::kill() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = 0;
}

std::string TestServer::uri(const std::string& database, const std::string& user) const {
  return fmt::format("postgresql://{}@/{}?host={}&port={}", user, database, folder().string(), port_);
}

void TestServer::run_script(const std::string& database, const std::string& statements) const {
  postgresql::Connection connection(uri(database, "postgres"));
  postgresql::Connection::Transaction transaction(connection);
  transaction.run_script(statements);
  transaction.commit();
}

std::string TestServer::value(const std::string& database, const std::string& statement) const {
  postgresql::Connection connection(uri(database, "postgres"));
  const postgresql::Rows rows = connection.call(statement.c_str());
  return rows.size() == 0 ? "" : std::string(rows.text(0, 0));
}

void prepare_store(TestServer& server) {
  postgresql::Connection(server.uri("postgres", "postgres")).call("CREATE DATABASE made");
  postgresql::make_postgresql_store(server.uri("made", "postgres"));
  server.run_script("made",
                    "CREATE ROLE administrator LOGIN; GRANT warptune_administrator TO administrator;"
                    "CREATE ROLE node LOGIN; GRANT warptune_node TO node;"
                    "CREATE ROLE reader LOGIN; GRANT warptune_reader TO reader");
}

TestServer& shared_server() {
  static const std::unique_ptr<TestServer> server = [] {
    auto made = std::make_unique<TestServer>();
    prepare_store(*made);
    return made;
  }();
  return *server;
}

// Emptying a database takes a tenth of the time that making one takes.
std::string TestServer::take_database() {
  if (unused_.empty()) {
    std::string name = next_database();
    postgresql::Connection(uri("postgres", "postgres"))
        .call(fmt::format("CREATE DATABASE {} TEMPLATE made", name).c_str());
    return name;
  }
  std::string name = unused_.back();
  unused_.pop_back();
  std::string statements;
  for (const char* table :
       {"batch", "refusal", "node", "file", "lease", "attempt", "task", "class_count", "class", "campaign"})
    statements += fmt::format("DELETE FROM warptune.{};", table);
  run_script(name, statements + "UPDATE warptune.counting SET tasks = 0");
  return name;
}

TestStore::TestStore(TestServer& server) : server_(server), database_(server.take_database()) {}

TestStore::~TestStore() { server_.give_database(database_); }

std::unique_ptr<FleetStore> TestStore::connect(Access access) const {
  const std::string user = access == Access::kAdministrator ? "administrator"
                           : access == Access::kNode        ? "node"
                                                            : "reader";
  return postgresql::open_postgresql_store(uri(user), access);
}

void TestStore::age_leases(std::int64_t ms) const {
  run_script(
      fmt::format("UPDATE warptune.lease SET ends = ends - interval '{0} ms';"
                  "UPDATE warptune.expiry SET due = due - interval '{0} ms'",
                  ms));
}

}  // namespace warptune::fleet::postgresql::testing
