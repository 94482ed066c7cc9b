// Derives covers from a matrix of measured times, without a GPU: what a cover would have measured is looked
// up in a database of bench_size_matrix. So rules of covers can be compared. Prints a line for each seed,
// which draws other held-back sizes and other seeds.

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/program.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "tuner/covering/cover_search.h"
#include "tuner/covers/size_range.h"

namespace po = boost::program_options;
using namespace warptune;
using namespace warptune::tuner;

namespace {

constexpr const char* kProgram = "bench_cover_replay";
constexpr std::size_t kCommon = 2;  // The default of --best of bench_size_matrix.

po::options_description options_description() {
  po::options_description options("Options");
  options.add_options()("kernel", po::value<std::string>()->required(), "name of a shipped kernel");
  options.add_options()("sizes", po::value<std::string>()->required(), "a file of sizes, as for cover");
  options.add_options()("db", po::value<std::string>()->required(), "a database of bench_size_matrix");
  options.add_options()("budget", po::value<std::string>()->default_value("2000"), "evaluations");
  options.add_options()("within", po::value<double>()->default_value(0.05), "the limit, as a share");
  options.add_options()("configurations", po::value<std::size_t>()->default_value(0),
                        "at most; 0: any number");
  options.add_options()("checks", po::value<std::size_t>()->default_value(15), "sizes that are held back");
  options.add_options()("seeds", po::value<std::uint64_t>()->default_value(4), "how many seeds");
  options.add_options()("help", "print this help");
  return options;
}

// The rows of each size, oldest first.
class RecordedSizes {
 public:
  RecordedSizes(const db::Store& store, const std::string& kernel, const covers::SizeRange& range) {
    for (const model::Workload& workload : store.workloads()) {
      const covers::Size size = range.size_of(workload.problem);
      if (workload.kernel != kernel || size.empty()) continue;
      workload_ = workload;
      for (db::StoredMeasurement& row : store.uncounted_measurements(workload))
        rows_[size].emplace(row.id, std::move(row.measurement));
    }
    keep_common();
  }

  const model::Workload& workload() const { return workload_; }
  bool has(const covers::Size& size) const { return rows_.count(size) != 0; }

  // What a session would have measured: the named configurations, then the oldest rows.
  covering::SizeRows measure(const covering::SizeTask& task) {
    covering::SizeRows answer;
    std::map<std::string, model::Measurement>& known = known_[task.at.size];
    const auto take = [&](const model::Measurement& row) {
      if (known.emplace(model::key_of(row.configuration), row).second) ++answer.evaluated;
    };
    for (const model::NamedValues& named : task.named) {
      for (const auto& [id, row] : rows_[task.at.size]) {
        if (row.configuration == named) take(row);
      }
    }
    for (const auto& [id, row] : rows_[task.at.size]) {
      if (task.held_back || (task.searches && answer.evaluated < task.budget.evaluations.value_or(0)))
        take(row);
    }
    for (const auto& [key, row] : known) answer.rows.push_back({row});
    return answer;
  }

  void forget() { known_.clear(); }

 private:
  // Only the best configurations of each size were measured at all others.
  void keep_common() {
    std::set<std::string> common;
    for (const auto& [size, rows] : rows_) {
      std::vector<std::pair<double, std::string>> ranked;
      for (const auto& [id, row] : rows) {
        if (row.status == model::Status::kMeasured)
          ranked.emplace_back(model::median_ns_of(row).value_or(0.0), model::key_of(row.configuration));
      }
      std::ranges::sort(ranked);
      for (std::size_t k = 0; k < std::min(ranked.size(), kCommon); ++k) common.insert(ranked[k].second);
    }
    for (auto& [size, rows] : rows_)
      std::erase_if(
          rows, [&](const auto& row) { return common.count(model::key_of(row.second.configuration)) == 0; });
  }

  model::Workload workload_;
  std::map<covers::Size, std::map<std::int64_t, model::Measurement>> rows_;
  std::map<covers::Size, std::map<std::string, model::Measurement>> known_;
};

void print_result(std::uint64_t seed, const covering::CoverGoal& goal, const covering::CoverOutcome& outcome,
                  const covers::CoverTable& table, double seconds) {
  if (!outcome.cover) {
    fmt::print("{}: no cover\n", seed);
    return;
  }
  std::size_t within = 0;
  std::size_t reachable = 0;
  std::size_t unknown = 0;
  double sum = 0.0;
  double worst = 0.0;
  for (const covering::CheckedSize& one : outcome.checked) {
    within += one.loss <= goal.limit_share ? 1U : 0U;
    reachable += one.min_loss <= goal.limit_share ? 1U : 0U;
    unknown += std::isfinite(one.loss) ? 0U : 1U;
    if (!std::isfinite(one.loss)) continue;
    sum += std::log1p(one.loss);
    worst = std::max(worst, one.loss);
  }
  const auto known = static_cast<double>(std::max<std::size_t>(outcome.checked.size() - unknown, 1));
  fmt::print("seed {}: {} configurations, {} answer; {} sizes, {} evaluations", seed,
             outcome.cover->configurations.size(), outcome.cover->costs ? "costs" : "lines",
             table.taking_part(), outcome.evaluations);
  fmt::print("; measured: {} within, {} unknown, mean {:.3f}", outcome.cover->within, outcome.cover->unknown,
             outcome.cover->mean_loss);
  fmt::print("; held back: {} of {} within ({} possible, {} unknown), mean {:.3f}, worst {:.3f}; {:.1f} s\n",
             within, outcome.checked.size(), reachable, unknown, std::expm1(sum / known), worst, seconds);
}

int replay(int argument_count, char** arguments) {
  const auto parsed = bench::parse_options(kProgram, options_description(), argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const auto kernel = given["kernel"].as<std::string>();
  covering::CoverGoal goal;
  goal.range = covers::read_sizes(given["sizes"].as<std::string>());
  const db::Store store = db::Store::open_existing(given["db"].as<std::string>());
  RecordedSizes recorded(store, kernel, goal.range);
  std::erase_if(goal.range.listed, [&](const auto& one) { return !recorded.has(one.size); });
  goal.limit_share = given["within"].as<double>();
  goal.max_configurations = given["configurations"].as<std::size_t>();
  goal.checks = given["checks"].as<std::size_t>();
  goal.budget = session::Budget::parse(given["budget"].as<std::string>());
  goal.check_budget = session::Budget::parse("1");
  const auto shape =
      std::make_shared<covers::LaunchShape>(kernel_templates::load_kernel(kernel, {}), goal.range,
                                            recorded.workload().problem, recorded.workload().gpu);
  for (goal.seed = 1; goal.seed <= given["seeds"].as<std::uint64_t>(); ++goal.seed) {
    covers::CoverTable table;
    table.shape = shape;
    recorded.forget();
    const auto start = std::chrono::steady_clock::now();
    const covering::CoverOutcome outcome = covering::search_cover(
        goal, table, 0, [&](const covering::SizeTask& task) { return recorded.measure(task); },
        [] { return 0.0; }, [](const covering::CoverProgress&) {});
    print_result(goal.seed, goal, outcome, table,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, replay);
}
