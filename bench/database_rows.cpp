// Measures the cost of a database row: the CPU time and wall time of storing measurements as sessions do, and
// of reading them. Usage: bench_database_rows [REPETITIONS=9] [ROWS=10000] [FOLDER=the temporary folder]
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "bench/spread.h"
#include "db/store.h"
#include "model/gpu_description.h"

namespace {

using namespace warptune;

constexpr std::int64_t kBatch = 256;

double cpu_seconds() {
  rusage use{};
  ::getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

model::Measurement row(std::int64_t i) {
  model::Measurement measurement;
  measurement.configuration = {{"BLOCK", i}, {"UNROLL", i % 7}, {"STRIDE", i % 2 == 0}, {"LOAD", "async"}};
  measurement.status = model::Status::kMeasured;
  const double median_ns = 1000.0 + static_cast<double>(i);
  measurement.time = {median_ns, median_ns - 1.5, median_ns + 2.5};
  for (int sample = 0; sample < 15; ++sample) measurement.samples_ns.push_back(median_ns + 0.25 * sample);
  measurement.resources = {32, 1024, 2048, 16, 256, 512, 6, 0.75};
  measurement.compile_ms = 12.5;
  measurement.measure_ms = 3.25;
  measurement.time_stamp_ms = 1700000000000 + i;
  return measurement;
}

model::Counters counters(std::int64_t i) {
  model::Counters counters;
  for (int counter = 0; counter < 10; ++counter)
    counters[fmt::format("metric_{}.sum", counter)] = static_cast<double>(i * counter);
  return counters;
}

struct Cost {
  std::vector<double> cpu_us, wall_us;  // The time of a row in each repetition.

  void measure(std::int64_t rows, const std::function<void()>& work) {
    const double cpu = cpu_seconds();
    const auto started = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    cpu_us.push_back(1e6 * (cpu_seconds() - cpu) / static_cast<double>(rows));
    wall_us.push_back(1e6 * wall.count() / static_cast<double>(rows));
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int repetitions = count > 1 ? std::atoi(arguments[1]) : 9;
  const std::int64_t rows = count > 2 ? std::atoll(arguments[2]) : 10000;
  const std::filesystem::path folder = count > 3 ? arguments[3] : std::filesystem::temp_directory_path();
  const std::filesystem::path file = folder / "warptune_bench_rows.db";
  db::Session session;
  session.workload = {"bench", "0123456789abcdef", {{"N", std::int64_t{4096}}}, model::fictional_gpu()};
  Cost storing;
  Cost counting;
  Cost reading;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (const char* ending : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + ending);
    db::Store store(file);
    const std::int64_t id = store.begin_session(session);
    std::vector<std::int64_t> ids;
    storing.measure(rows, [&] {
      for (std::int64_t i = 0; i < rows; ++i) ids.push_back(store.add_measurement(id, row(i)));
    });
    counting.measure(rows, [&] {
      for (std::int64_t i = 0; i < rows; i += kBatch) {
        db::Store::Batch batch(store);
        for (std::int64_t j = i; j < std::min(rows, i + kBatch); ++j)
          store.set_counters(ids[static_cast<std::size_t>(j)], counters(j));
        batch.commit();
      }
    });
    reading.measure(rows, [&] { static_cast<void>(store.measurements(session.workload)); });
  }
  fmt::print("{} rows, {} repetitions, us per row: median (lowest to highest)\n", rows, repetitions);
  for (const auto& [name, cost] : {std::pair{"storing, each committed", &storing},
                                   std::pair{"ten counters, 256 rows per commit", &counting},
                                   std::pair{"reading with counters", &reading}}) {
    fmt::print("{}: CPU {}, wall {}\n", name, bench::spread_text(cost->cpu_us, 1),
               bench::spread_text(cost->wall_us, 1));
  }
  return 0;
}
