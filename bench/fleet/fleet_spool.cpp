// Measures what the operations of a spool take, with one connection and with many processes at once.
// Usage: bench_fleet_spool [FOLDER=the temporary folder] [TASKS=10000] [PROCESSES=64] [REPEATS=5]
// The figures depend on the file system of FOLDER: leases, reports and batches wait until they are on the
// disk.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bench/spread.h"
#include "fleet/fleet_store.h"

namespace {

using namespace warptune;
using Clock = std::chrono::steady_clock;

const std::string kNode(32, 'a');
const std::vector<fleet::ClassKey> kClasses{{"bench", 0}, {"bench", 1}};

// CPU time of this process, or of its children that have ended, in seconds.
double cpu_seconds(int whose) {
  rusage used{};
  ::getrusage(whose, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Taken {
  double seconds = 0.0;
  double cpu_seconds = 0.0;
};

Taken taken_by(const std::function<void()>& work) {
  const Clock::time_point started = Clock::now();
  const double cpu_before = cpu_seconds(RUSAGE_SELF);
  work();
  return {std::chrono::duration<double>(Clock::now() - started).count(),
          cpu_seconds(RUSAGE_SELF) - cpu_before};
}

fleet::Campaign campaign(std::uint64_t tasks) {
  fleet::Campaign made{"bench", {}, {}};
  for (const char* kernel : {"sgemm", "scan"}) {
    fleet::TaskClass one;
    one.kernel = kernel;
    made.classes.push_back(one);
  }
  for (std::uint64_t task = 0; task < tasks; ++task)
    made.tasks.push_back({task % 2, {{"N", static_cast<std::int64_t>(task)}}});
  return made;
}

// What one call of each operation takes, by name, in one repetition on a new spool.
std::map<std::string, Taken> measure(const std::string& address, std::uint64_t tasks) {
  constexpr int kCount = 100;
  std::map<std::string, Taken> taken;
  const auto store = fleet::make_store(address);
  const auto each = [&](const std::string& name, int count, const std::function<void(int)>& work) {
    const Taken all = taken_by([&] {
      for (int i = 0; i < count; ++i) work(i);
    });
    taken[name] = {all.seconds / count, all.cpu_seconds / count};
  };
  std::vector<fleet::LeaseKey> leases;
  const auto key = [&](int i) { return leases[static_cast<std::size_t>(i)]; };
  const std::string rows(20'000, 'r');
  each("add a campaign", 1, [&](int) { store->add_campaign(campaign(tasks)); });
  each("open it first", 1, [&](int) { fleet::open_store(address, fleet::Access::kNode)->campaign("bench"); });
  each("lease", kCount, [&](int) { leases.push_back(store->lease(kNode, kClasses)->key); });
  each("heartbeat of 1 lease", kCount, [&](int i) { store->heartbeat(kNode, {key(i)}); });
  each("publish 20 kB", kCount, [&](int i) {
    store->publish({leases[0], kNode, static_cast<std::uint64_t>(i)}, rows);
  });
  each("list 100 batches", 1, [&](int) { static_cast<void>(store->batches({}, "")); });
  const std::string cursor = store->batches({}, "").cursor;
  each("list no batches", kCount, [&](int) { static_cast<void>(store->batches({}, cursor)); });
  each("finish", kCount, [&](int i) { store->finish(kNode, key(i), {}); });
  each("open classes", 10, [&](int) { static_cast<void>(store->open_classes()); });
  each("campaigns", 10, [&](int) { static_cast<void>(store->campaigns()); });
  each("tasks", 10, [&](int) { static_cast<void>(store->tasks("bench")); });
  return taken;
}

struct Counts {  // In memory that all processes share.
  std::atomic<std::int64_t> done = 0;
  std::atomic<std::int64_t> longest_us = 0;
  std::atomic<std::int64_t> failed = 0;
  std::atomic<int> ready = 0;
};

void run_tasks(const std::string& address, int processes, Counts& counts) {
  constexpr std::chrono::seconds kTime(3);
  const auto store = fleet::open_store(address, fleet::Access::kNode);
  static_cast<void>(store->campaign("bench"));  // A node reads the campaign once.
  const std::string rows(20'000, 'r');
  for (++counts.ready; counts.ready < processes;) ::usleep(1'000);
  const Clock::time_point end = Clock::now() + kTime;
  while (Clock::now() < end) {
    const Taken taken = taken_by([&] {
      const auto lease = store->lease(kNode, kClasses);
      if (!lease) return;
      store->publish({lease->key, kNode, 0}, rows);
      if (store->finish(kNode, lease->key, {})) ++counts.done;
    });
    const auto us = static_cast<std::int64_t>(taken.seconds * 1e6);
    std::int64_t longest = counts.longest_us;
    while (us > longest && !counts.longest_us.compare_exchange_weak(longest, us)) {
    }
  }
}

// Tasks a second that are leased, published and finished by many processes at once, in about 3 s.
double measure_processes(const std::string& address, int processes, Counts& counts) {
  counts.done = 0;
  counts.ready = 0;
  for (int i = 0; i < processes; ++i) {
    if (::fork() != 0) continue;
    try {
      run_tasks(address, processes, counts);
    } catch (const std::exception& error) {
      fmt::print(stderr, "{}\n", error.what());
      ++counts.failed;
      ++counts.ready;
    }
    ::_exit(0);
  }
  while (counts.ready < processes) ::usleep(1'000);
  const Clock::time_point started = Clock::now();
  while (::wait(nullptr) > 0) {
  }
  return static_cast<double>(counts.done) / std::chrono::duration<double>(Clock::now() - started).count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path place = count > 1 ? arguments[1] : std::filesystem::temp_directory_path();
  const std::uint64_t tasks = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 10'000;
  const int processes = count > 3 ? std::atoi(arguments[3]) : 64;
  const int repeats = count > 4 ? std::atoi(arguments[4]) : 5;
  const std::filesystem::path folder = place / "warptune_bench_spool";
  const std::string address = "spool:" + folder.string();
  void* shared = ::mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return 1;
  auto& counts = *new (shared) Counts;
  std::map<std::string, std::vector<double>> ms;
  std::map<std::string, std::vector<double>> cpu_ms;
  std::vector<double> rates;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::filesystem::remove_all(folder);
    for (const auto& [name, taken] : measure(address, tasks)) {
      ms[name].push_back(1e3 * taken.seconds);
      cpu_ms[name].push_back(1e3 * taken.cpu_seconds);
    }
    rates.push_back(measure_processes(address, processes, counts));
  }
  std::filesystem::remove_all(folder);
  fmt::print("{} tasks, {} repetitions: median (lowest to highest) in ms\n  {:22} {:28} {}\n", tasks, repeats,
             "operation", "CPU time", "elapsed");
  for (const auto& [name, values] : ms)
    fmt::print("  {:22} {:28} {}\n", name, bench::spread_text(cpu_ms[name], 2),
               bench::spread_text(values, 2));
  fmt::print(
      "{} processes: {} tasks a second are leased, published and finished; the longest took {} ms; {} "
      "failed\n",
      processes, bench::spread_text(rates, 0), counts.longest_us / 1000, counts.failed.load());
  return counts.failed == 0 ? 0 : 1;
}
