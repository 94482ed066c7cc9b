// Writes a database with many rows of one workload for `bench/answers.py`. The rows are the same in each run.
//
// Configurations are drawn from a shipped kernel's space. At most nine tenths of the space are drawn. Further
// rows measure the same configurations again. 30 % of the rows are measured (with samples, and every tenth
// with counters), 55 % are dropped and 15 % failed. A time is the product of a factor for each parameter's
// value and of a little noise. It needs no GPU.
//
//   fill_database --file FILE [--kernel sgemm] [--rows 1000000] [--session-rows 100000] [--seed 1]
#include <fmt/format.h>

#include <boost/program_options.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/hash.h"
#include "base/random.h"
#include "bench/program.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "model/own_metrics.h"
#include "model/space.h"
#include "tuner/knowledge/workload.h"

namespace {

using namespace warptune;
namespace po = boost::program_options;
using kernel_templates::KernelInstance;
using model::Configuration;

constexpr const char* kProgram = "bench_fill_database";
constexpr std::int64_t kFirstTimeMs = 1'700'000'000'000;

/// Makes the row of a configuration by a model that depends on the seed.
class RowMaker {
 public:
  RowMaker(const KernelInstance& instance, std::uint64_t seed) : instance_(instance), seed_(seed) {}

  model::Measurement row_of(const Configuration& configuration, base::Random& random) {
    model::Measurement row;
    row.configuration = instance_.space().values_of(configuration);
    row.compile_ms = 300.0 + 400.0 * random.unit();
    row.measure_ms = 2.0 + 4.0 * random.unit();
    row.time_stamp_ms = kFirstTimeMs + static_cast<std::int64_t>(++rows_);
    row.resources.registers_per_thread = 32 + static_cast<std::int64_t>(random.below(224));
    row.resources.threads_per_block = 32 << random.below(6);
    row.resources.blocks = 1024;
    row.resources.theoretical_occupancy = 0.125 * static_cast<double>(1 + random.below(8));
    const double kind = random.unit();
    const double time_ns = time_of(configuration) * (1.0 + 0.01 * random.unit());
    if (kind < 0.30) {
      measure(row, time_ns, random);
    } else if (kind < 0.85) {
      row.status = model::Status::kDropped;
      row.time = model::TimeSummary{1.5 * time_ns, 1.4 * time_ns};
    } else {
      row.status = kind < 0.93 ? model::Status::kLaunchInvalid : model::Status::kCompileFailed;
      row.reason = "needs more registers than a block of this size may have";
    }
    return row;
  }

 private:
  double time_of(const Configuration& configuration) const {
    double log_time = std::log(4e5);
    for (std::size_t p = 0; p < configuration.size(); ++p) {
      const std::uint64_t hash = base::split_mix64(seed_ ^ base::split_mix64(64 * p + configuration[p]));
      log_time += 0.5 * static_cast<double>(hash >> 11) * 0x1p-53 / (1.0 + static_cast<double>(p % 5));
    }
    return std::exp(log_time);
  }

  void measure(model::Measurement& row, double time_ns, base::Random& random) {
    row.status = model::Status::kMeasured;
    for (int sample = 0; sample < 8; ++sample)
      row.samples_ns.push_back(time_ns * (1.0 + 0.004 * random.unit()));
    row.time = model::summarise(row.samples_ns);
    if (++measured_ % 10 != 0) return;
    const double busy = 40.0 + 50.0 * random.unit();
    row.counters = {{"gpu__time_duration.sum", time_ns + 17000.0},
                    {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 100.0 - busy},
                    {"dram__bytes.sum", 4e7 * (1.0 + random.unit())},
                    {"sm__warps_active.avg.pct_of_peak_sustained_active", busy},
                    {"smsp__inst_executed.sum", 1e3 * time_ns},
                    {"lts__t_bytes.sum", 6e8 * (1.0 + random.unit())},
                    {warptune::model::own_metric::kFirstLaunchNs, 1.2 * time_ns},
                    {warptune::model::own_metric::kSmClockMhz, 1980.0}};
  }

  const KernelInstance& instance_;
  std::uint64_t seed_;
  std::uint64_t rows_ = 0;
  std::uint64_t measured_ = 0;
};

/// The indices of distinct configurations in a random order, beginning with the default.
std::vector<std::uint64_t> draw_indices(const model::Space& space, const model::NamedValues& first,
                                        std::uint64_t count, base::Random& random) {
  std::vector<std::uint64_t> drawn;
  std::unordered_set<std::uint64_t> known;
  if (const auto configuration = space.configuration_of(first))
    if (const auto index = space.index_of(*configuration)) known.insert(drawn.emplace_back(*index));
  while (drawn.size() < count) {
    const std::uint64_t index = random.below(space.size());
    if (known.insert(index).second) drawn.push_back(index);
  }
  return drawn;
}

void fill(db::Store& store, const KernelInstance& instance, const po::variables_map& given) {
  const auto rows = given["rows"].as<std::uint64_t>();
  const auto session_rows = given["session-rows"].as<std::uint64_t>();
  base::Random random(given["seed"].as<std::uint64_t>());
  const model::Space& space = instance.space();
  const std::vector<std::uint64_t> indices =
      draw_indices(space, instance.default_configuration(),
                   std::min(rows, std::max<std::uint64_t>(1, space.size() / 10 * 9)), random);
  RowMaker maker(instance, given["seed"].as<std::uint64_t>());
  db::Session session;
  session.workload = tuner::knowledge::workload_of(instance, model::CacheState::kCold);
  session.strategy = "random";
  session.budget = std::to_string(session_rows);
  session.work = instance.work();
  session.space_size = space.size();
  session.default_configuration = instance.default_configuration();
  std::int64_t id = 0;
  db::Store::Batch batch(store);
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (row % session_rows == 0) {
      session.seed = row / session_rows + 1;
      session.started_ms = kFirstTimeMs + static_cast<std::int64_t>(row);
      session.finished_ms = session.started_ms + static_cast<std::int64_t>(session_rows);
      id = store.begin_session(session);
    }
    store.add_measurement(id, maker.row_of(space.at(indices[row % indices.size()]), random));
  }
  batch.commit();
  fmt::print("{} rows of {} configurations of {}\n", rows, std::min<std::uint64_t>(rows, indices.size()),
             instance.definition().name);
}

int measure(int argument_count, char** arguments) {
  po::options_description options;
  options.add_options()("help", "print this")("file", po::value<std::string>()->required(),
                                              "the new database")(
      "kernel", po::value<std::string>()->default_value("sgemm"), "a shipped kernel")(
      "rows", po::value<std::uint64_t>()->default_value(1'000'000), "measurements")(
      "session-rows", po::value<std::uint64_t>()->default_value(100'000), "measurements in a session")(
      "seed", po::value<std::uint64_t>()->default_value(1), "seed of configurations and times");
  const auto given = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!given) return 0;
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.name = "NVIDIA H200 (rows made up)";
  const KernelInstance instance(kernel_templates::load_kernel((*given)["kernel"].as<std::string>()), {}, gpu);
  db::Store store((*given)["file"].as<std::string>());
  fill(store, instance, *given);
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program(kProgram, argument_count, arguments, measure);
}
