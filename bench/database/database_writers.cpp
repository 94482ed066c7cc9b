// Measures how many rows many processes store in one database at the same time, while others read it. Each
// row is committed before the next one is stored, as sessions do. A row that cannot be stored or read counts
// as a failure. Usage: bench_database_writers [WRITERS=64] [READERS=20] [SECONDS=10] [FOLDER=the temporary
// folder]
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <new>

#include "db/store.h"
#include "model/gpu_description.h"

namespace {

using namespace warptune;
using Clock = std::chrono::steady_clock;

// In memory that all processes share.
struct Counts {
  std::atomic<std::int64_t> stored = 0;
  std::atomic<std::int64_t> read = 0;
  std::atomic<std::int64_t> failed = 0;
  std::atomic<std::int64_t> longest_us = 0;  // The longest time that storing one row took.
};

db::Session session() {
  db::Session session;
  session.workload = {"bench", "0123456789abcdef", {{"N", std::int64_t{4096}}}, model::fictional_gpu()};
  return session;
}

void write_rows(const std::filesystem::path& file, std::int64_t writer, Clock::time_point end,
                Counts& counts) {
  db::Store store(file);
  const std::int64_t id = store.begin_session(session());
  model::Measurement row;
  row.status = model::Status::kMeasured;
  row.time = {1000.0, 998.5, 1002.5};
  row.samples_ns.assign(15, 1000.0);
  row.counters = {{"a.sum", 1.0}, {"b.sum", 2.0}};
  for (std::int64_t i = 0; Clock::now() < end; ++i) {
    row.configuration = {{"BLOCK", writer * 1000000 + i}, {"LOAD", std::string("async")}};
    const Clock::time_point started = Clock::now();
    store.add_measurement(id, row);
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started).count();
    std::int64_t longest = counts.longest_us;
    while (took > longest && !counts.longest_us.compare_exchange_weak(longest, took)) {
    }
    ++counts.stored;
  }
}

void read_winners(const std::filesystem::path& file, Clock::time_point end, Counts& counts) {
  const db::Store store = db::Store::open_existing(file);
  while (Clock::now() < end) {
    static_cast<void>(store.winners("bench", ""));
    ++counts.read;
    ::usleep(10000);
  }
}

template <class Work>
void start_process(Counts& counts, Work work) {
  if (::fork() != 0) return;
  try {
    work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    ++counts.failed;
  }
  ::_exit(0);
}

}  // namespace

int main(int count, char** arguments) {
  const int writers = count > 1 ? std::atoi(arguments[1]) : 64;
  const int readers = count > 2 ? std::atoi(arguments[2]) : 20;
  const int seconds = count > 3 ? std::atoi(arguments[3]) : 10;
  const std::filesystem::path folder = count > 4 ? arguments[4] : std::filesystem::temp_directory_path();
  const std::filesystem::path file = folder / "warptune_bench_writers.db";
  for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + ending);
  void* shared = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& counts = *new (shared) Counts;
  { const db::Store made(file); }
  const Clock::time_point end = Clock::now() + std::chrono::seconds(seconds);
  for (int i = 0; i < writers; ++i) start_process(counts, [&] { write_rows(file, i, end, counts); });
  for (int i = 0; i < readers; ++i) start_process(counts, [&] { read_winners(file, end, counts); });
  while (::wait(nullptr) > 0) {
  }
  const db::Store store = db::Store::open_existing(file);
  const auto found = static_cast<std::int64_t>(store.totals().measurements);
  fmt::print(
      "{} writers, {} readers, {} s: {} rows per second, {} queries per second, {} failed, {} rows lost,"
      " longest {} ms\n",
      writers, readers, seconds, counts.stored / seconds, counts.read / seconds, counts.failed.load(),
      counts.stored - found, counts.longest_us / 1000);
  return counts.failed == 0 && counts.stored == found ? 0 : 1;
}
