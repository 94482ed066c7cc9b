// Measures how long a new reader of a store needs until it has the rows of all batches.
// Usage: bench_fleet_snapshot [ATTEMPTS=500] [BATCHES=20] [ROWS=10] [REPEATS=3]
// Each attempt has published BATCHES batches of ROWS rows. The store is in memory, so the time is that of the
// reader alone.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/spread.h"
#include "db/store.h"
#include "fleet/rows/row_batch.h"
#include "fleet/rows/snapshot.h"
#include "model/gpu_description.h"
#include "tests/fleet/rows/batches_only_store.h"
#include "tests/temporary_folder.h"

namespace {

using namespace warptune;
namespace fs = std::filesystem;

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

db::Session session_of(std::int64_t attempt) {
  db::Session session;
  session.workload = {"bench", std::string(32, '0'), {{"N", attempt}}, model::fictional_gpu()};
  session.started_ms = 1;
  return session;
}

model::Measurement measured(std::int64_t number) {
  constexpr int kCounters = 20;
  model::Measurement measurement;
  measurement.configuration = {{"BLOCK", number}, {"UNROLL", number % 8}, {"LOAD", std::string("vector")}};
  measurement.samples_ns = std::vector<double>(30, 1000.0 + static_cast<double>(number));
  measurement.time = model::summarise(measurement.samples_ns);
  for (int counter = 0; counter < kCounters; ++counter)
    measurement.counters[fmt::format("counter_{}", counter)] = static_cast<double>(number + counter);
  return measurement;
}

void fill(fleet::rows::BatchesOnlyStore& store, std::int64_t attempts, std::int64_t batches,
          std::int64_t rows, const fs::path& scratch) {
  store.summaries = {{"bench", "", 1}};
  store.content.classes.resize(1);
  store.content.classes.front().kernel = "bench";
  store.content.classes.front().kernel_hash = std::string(32, '0');
  for (std::int64_t attempt = 0; attempt < attempts; ++attempt) {
    store.content.tasks.push_back({0, {{"N", attempt}}});
    const fs::path local = scratch / fmt::format("{}.db", attempt);
    db::Store database(local);
    fleet::rows::BatchWriter writer(local, scratch);
    const std::int64_t session = database.begin_session(session_of(attempt));
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      for (std::int64_t row = 0; row < rows; ++row) {
        database.add_measurement(session, measured(batch * rows + row));
      }
      fleet::BatchName name;
      name.lease.campaign = "bench";
      name.lease.task = static_cast<std::uint64_t>(attempt);
      name.lease.fence = 1;
      name.node = "node";
      name.sequence = static_cast<std::uint64_t>(batch);
      store.publish(name, writer.next().value());
    }
  }
}

std::int64_t argument(int count, char** given, int index, std::int64_t otherwise) {
  return count > index ? std::atoll(given[index]) : otherwise;
}

}  // namespace

int main(int count, char** given) {
  try {
    const std::int64_t attempts = argument(count, given, 1, 500);
    const std::int64_t batches = argument(count, given, 2, 20);
    const std::int64_t rows = argument(count, given, 3, 10);
    const std::int64_t repeats = argument(count, given, 4, 3);
    const tests::TemporaryFolder folder;
    fleet::rows::BatchesOnlyStore store;
    fill(store, attempts, batches, rows, folder.path());
    std::vector<double> elapsed;
    std::vector<double> cpu;
    for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
      const auto started = std::chrono::steady_clock::now();
      const double cpu_before = cpu_seconds();
      const fleet::rows::SnapshotCounts counts =
          fleet::rows::update_snapshot(store, folder / fmt::format("reader{}/snapshot.db", repeat), {}, {});
      elapsed.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count());
      cpu.push_back(cpu_seconds() - cpu_before);
      if (counts.batches != static_cast<std::uint64_t>(attempts * batches) || counts.damaged != 0)
        throw std::runtime_error("not all batches were merged");
    }
    fmt::print("{} batches with {} rows: {} s, CPU time {} s\n", attempts * batches,
               attempts * batches * rows, bench::spread_text(elapsed, 2), bench::spread_text(cpu, 2));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_fleet_snapshot: {}\n", error.what());
    return 1;
  }
}
