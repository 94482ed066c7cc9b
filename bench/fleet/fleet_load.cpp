// Measures how many GPUs one server of PostgreSQL serves. Simulated nodes with one GPU each lease, send
// heartbeats and publish as real ones do. The server is started on this machine. It writes to the disk before
// it answers (fsync), and has the settings that are printed. README.md tells how to read the result.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/fleet/node_simulation.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "fleet/postgresql/connection.h"
#include "fleet/postgresql/postgresql_store.h"
#include "tests/fleet/postgresql/test_server.h"

namespace {

using namespace warptune;
using bench::fleet::CallTimes;
using bench::fleet::Load;
using bench::fleet::Outcome;
using fleet::postgresql::testing::TestServer;

namespace po = boost::program_options;

constexpr int kConnectionsForOthers = 20;
constexpr std::uint64_t kClasses = 24;

const std::vector<std::string> kSettings{"shared_buffers = 512MB", "max_wal_size = 4GB",
                                         "checkpoint_timeout = 5min", "wal_compression = off",
                                         "synchronous_commit = on"};

std::vector<std::string> settings(const Load& load) {
  std::vector<std::string> lines = kSettings;
  lines.push_back(fmt::format("max_connections = {}", load.connections() + kConnectionsForOthers));
  return lines;
}

fleet::Campaign campaign_of(const std::string& name, std::uint64_t tasks) {
  fleet::Campaign campaign{name, {}, {}};
  for (std::uint64_t i = 0; i < kClasses; ++i) {
    fleet::TaskClass one;
    one.kernel = fmt::format("kernel{}", i);
    one.kernel_hash = std::string(32, '0');
    campaign.classes.push_back(one);
  }
  for (std::uint64_t i = 0; i < tasks; ++i)
    campaign.tasks.push_back(
        {i % kClasses, {{"M", static_cast<std::int64_t>(i)}, {"N", std::int64_t{4096}}}});
  return campaign;
}

// The CPU time of all running processes of the server, in seconds.
double server_seconds(const TestServer& server) {
  double ticks = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string line;
    if (!std::getline(file, line) || line.rfind(')') == std::string::npos) continue;
    std::istringstream words(line.substr(line.rfind(')') + 2));
    std::vector<std::string> fields{std::istream_iterator<std::string>(words), {}};
    if (fields.size() > 12 && std::stoi(fields[1]) == server.process())
      ticks += std::stod(fields[11]) + std::stod(fields[12]);
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double load_average() {
  double average = 0;
  std::ifstream("/proc/loadavg") >> average;
  return average;
}

using Figures = std::map<std::string, std::vector<double>>;

void add_figures(Figures& figures, const Load& load, const Outcome& outcome, double server_cores) {
  figures["leases a second"].push_back(outcome.rate("lease"));
  figures["rows a second"].push_back(outcome.rate("publish") * static_cast<double>(load.batch_rows));
  figures["MB a second"].push_back(outcome.rate("publish") * static_cast<double>(load.batch_bytes) / 1e6);
  figures["calls a second"].push_back(outcome.calls_per_second());
  figures["reached share of the wanted calls, %"].push_back(100.0 * outcome.calls_per_second() /
                                                            load.wanted_calls_per_second());
  figures["cores of the server"].push_back(server_cores);
  for (const auto& [name, times] : outcome.times) {
    figures[name + " median, ms"].push_back(times.percentile_ms(50));
    figures[name + " 99th percentile, ms"].push_back(times.percentile_ms(99));
  }
}

void print(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

int measure(int count, char** arguments) {
  Load load;
  int repetitions = 3;
  po::options_description options("Options");
  auto add = options.add_options();
  add("help", "Shows this text.");
  add("nodes", po::value(&load.nodes)->default_value(1000), "Simulated nodes, with one GPU each.");
  add("pool", po::value(&load.pool)->default_value(32),
      "Connections that all nodes share, as pgbouncer shares them; 0: each node has a connection of its "
      "own.");
  add("seconds", po::value(&load.seconds)->default_value(20), "Duration of each repetition.");
  add("speed", po::value(&load.speed)->default_value(1),
      "How many times faster the nodes lease, send heartbeats and publish than real ones.");
  add("task-seconds", po::value(&load.task_seconds)->default_value(10), "Duration of a task.");
  add("publish-seconds", po::value(&load.publish_seconds)->default_value(5), "Time between batches.");
  add("batch-bytes", po::value(&load.batch_bytes)->default_value(20'000), "Size of a batch.");
  add("batch-rows", po::value(&load.batch_rows)->default_value(100), "Rows in a batch.");
  add("repetitions", po::value(&repetitions)->default_value(3), "How often to measure.");
  if (!bench::parse_options("bench_fleet_load", options, count, arguments)) return 0;

  TestServer server({settings(load), 5432, {}, true, {}});
  fleet::postgresql::testing::prepare_store(server);
  const std::string version = server.value("postgres", "SHOW server_version");
  print(fmt::format(
      "{} nodes, {}, {} threads of the machine, PostgreSQL {}", load.nodes,
      load.pool > 0 ? fmt::format("{} connections are shared", load.pool) : "a connection for each node",
      std::thread::hardware_concurrency(), version));
  for (const std::string& line : settings(load)) print("  " + line);
  Figures figures;
  for (int i = 0; i < repetitions; ++i) {
    const std::string name = fmt::format("load{}", i);
    fleet::postgresql::open_postgresql_store(server.uri("made", "administrator"),
                                             fleet::Access::kAdministrator)
        ->add_campaign(campaign_of(name, load.wanted_leases() + kClasses));
    const double load_before = load_average();
    double used = 0;
    const Outcome outcome =
        bench::fleet::simulate(load, server.uri("made", "node"), name, kClasses,
                               [&](bool is_end) { used += (is_end ? 1 : -1) * server_seconds(server); });
    add_figures(figures, load, outcome, used / load.seconds);
    print(fmt::format("repetition {}: load average before {:.1f}, {} failed calls", i + 1, load_before,
                      outcome.failed));
    fleet::postgresql::open_postgresql_store(server.uri("made", "administrator"),
                                             fleet::Access::kAdministrator)
        ->cancel(name);
  }
  for (const auto& [name, values] : figures)
    print(fmt::format("{:<40} {}", name, bench::spread_text(values, 1)));
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run_program("bench_fleet_load", count, arguments, measure);
}
