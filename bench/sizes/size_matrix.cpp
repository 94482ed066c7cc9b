// Measures a matrix of configurations and sizes of a kernel, and keeps all rows in a database. Each size is
// tuned on its own first, without knowledge of the others. Then the best configurations of all sizes and the
// default are measured at every size. With --winners, so are the best configurations of each size in another
// database. Needs a GPU.

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/cancellation.h"
#include "base/error.h"
#include "bench/program.h"
#include "db/store.h"
#include "model/objective.h"
#include "model/value.h"
#include "tuner/covers/size_range.h"
#include "tuner/session/tuning.h"

namespace po = boost::program_options;
namespace fs = std::filesystem;
using namespace warptune;

namespace {

constexpr const char* kProgram = "bench_size_matrix";

struct Matrix {
  std::string kernel;
  std::string budget;
  std::size_t best = 2;
  fs::path database;
  fs::path compile_cache;
  fs::path winners;
};

po::options_description options_description() {
  po::options_description options("Options");
  options.add_options()("kernel", po::value<std::string>()->required(), "name of a shipped kernel");
  options.add_options()("sizes", po::value<std::string>()->required(), "a file of sizes, as for cover");
  options.add_options()("budget", po::value<std::string>()->default_value("3s"), "budget of each size");
  options.add_options()("best", po::value<std::size_t>()->default_value(2),
                        "how many of the best configurations of a size are measured at all sizes");
  options.add_options()("db", po::value<std::string>()->required(), "database");
  options.add_options()("compile-cache", po::value<std::string>()->default_value(""), "folder");
  options.add_options()("winners", po::value<std::string>()->default_value(""),
                        "a database, whose best configurations of each size are measured at all sizes, too");
  options.add_options()("help", "print this help");
  return options;
}

tuner::session::TuningRequest request_for(const Matrix& matrix, const model::NamedValues& size) {
  tuner::session::TuningRequest request;
  request.kernel = matrix.kernel;
  request.sizes = size;
  request.database = matrix.database;
  request.measuring.count = false;
  request.measuring.compile_cache = matrix.compile_cache;
  request.measure_only = true;
  request.search.transfer = false;
  return request;
}

// Runs one session. A size that fails is reported and left out.
std::optional<tuner::session::TuningOutcome> run(tuner::session::TuningRequest request) {
  const base::Cancellation never;
  tuner::session::SilentListener listener;
  const auto start = std::chrono::steady_clock::now();
  const std::string text = model::to_text(request.sizes);
  try {
    tuner::session::TuningOutcome outcome =
        tuner::session::Tuning(std::move(request)).run(0, listener, never);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{}: {} evaluations, best {:.2f} us, {:.1f} s\n", text, outcome.result.progress.evaluated,
               outcome.result.best ? outcome.result.best->time->median_ns / 1e3 : 0.0, seconds);
    std::fflush(stdout);
    return outcome;
  } catch (const base::Error& error) {
    fmt::print("{}: {}\n", text, error.message());
    return std::nullopt;
  }
}

// The best configurations of a workload, best first.
std::vector<model::NamedValues> best_of(const fs::path& database, const model::Workload& workload,
                                        std::size_t count) {
  const db::Store store = db::Store::open_existing(database);
  std::vector<model::NamedValues> best;
  for (const db::RankedId& ranked : store.ranked_ids(workload, {})) {
    if (best.size() == count) break;
    if (auto row = store.ranked_row(ranked, {})) best.push_back(std::move(row->measurement.configuration));
  }
  return best;
}

void add_new(std::vector<model::NamedValues> more, std::vector<model::NamedValues>& named) {
  for (model::NamedValues& one : more) {
    if (std::find(named.begin(), named.end(), one) == named.end()) named.push_back(std::move(one));
  }
}

std::vector<model::NamedValues> winners_of(const Matrix& matrix) {
  std::vector<model::NamedValues> named;
  if (matrix.winners.empty()) return named;
  for (const model::Workload& workload : db::Store::open_existing(matrix.winners).workloads()) {
    if (workload.kernel == matrix.kernel) add_new(best_of(matrix.winners, workload, matrix.best), named);
  }
  return named;
}

int measure(int argument_count, char** arguments) {
  const auto parsed = bench::parse_options(kProgram, options_description(), argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const Matrix matrix{given["kernel"].as<std::string>(),        given["budget"].as<std::string>(),
                      given["best"].as<std::size_t>(),          given["db"].as<std::string>(),
                      given["compile-cache"].as<std::string>(), given["winners"].as<std::string>()};
  const tuner::covers::SizeRange range = tuner::covers::read_sizes(given["sizes"].as<std::string>());
  std::vector<model::NamedValues> named = winners_of(matrix);
  std::vector<model::NamedValues> tuned;
  for (const tuner::covers::ListedSize& listed : range.listed) {
    tuner::session::TuningRequest request = request_for(matrix, range.values_of(listed.size));
    request.search.budget = tuner::session::Budget::parse(matrix.budget);
    const auto outcome = run(std::move(request));
    if (!outcome) continue;
    tuned.push_back(range.values_of(listed.size));
    add_new(best_of(matrix.database, outcome->plan.workload, matrix.best), named);
  }
  fmt::print("{} configurations at {} sizes\n", named.size(), tuned.size());
  for (const model::NamedValues& size : tuned) {
    tuner::session::TuningRequest request = request_for(matrix, size);
    request.search.budget = tuner::session::Budget::parse("all");
    request.search.strategy = "random";
    request.search.purpose = "matrix";
    request.search.fresh = true;
    request.search.named = named;
    run(std::move(request));
  }
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
