// Compares the shipped kernels with NVIDIA's libraries, by the same timer in one run: bench/README.md. Needs
// a GPU.

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <regex>
#include <set>

#include "base/error.h"
#include "base/files.h"
#include "bench/program.h"
#include "bench/vendor/comparison.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/restricted.h"
#include "bench/vendor/rows.h"
#include "bench/vendor/table.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"
#include "tuner/gpus/local_gpus.h"

namespace po = boost::program_options;
namespace fs = std::filesystem;
using namespace warptune;
using bench::vendor::Comparison;
using bench::vendor::Row;

namespace {

constexpr const char* kProgram = "bench_vendor";

po::options_description options_description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help", "show this");
  add("file", po::value<std::string>()->default_value("bench/vendor/rows.toml"), "the file of the rows");
  add("rows", po::value<std::string>()->default_value(""),
      "only rows whose `KERNEL PROBLEM` matches this regular expression");
  add("priority", po::value<int>()->default_value(9), "only rows of this priority or a smaller number");
  add("rounds", po::value<int>()->default_value(40), "interleaved launches of each call");
  add("seed", po::value<std::uint64_t>()->default_value(1), "seed of the data");
  add("db", po::value<std::string>()->default_value(""), "database of tuned rows; default: the user's");
  add("compile-cache", po::value<std::string>()->default_value(""),
      "folder of the cache; default: the user's");
  add("out", po::value<std::string>()->default_value(""), "folder for vendor.md and vendor.json");
  add("list", po::bool_switch(), "only list and check the rows; needs no GPU");
  add("tune-commands", po::bool_switch(), "only print the commands that tune the rows; needs no GPU");
  add("tune-restricted", po::bool_switch(), "only tune the rows that restrict a space");
  add("budget", po::value<std::string>()->default_value("60s"), "budget of each session of the last two");
  return options;
}

std::vector<Row> chosen_rows(const po::variables_map& given) {
  const std::regex wanted(given["rows"].as<std::string>());
  std::vector<Row> rows = bench::vendor::read_rows(given["file"].as<std::string>());
  std::erase_if(rows, [&](const Row& row) {
    return row.priority > given["priority"].as<int>() || !std::regex_search(row.name, wanted);
  });
  if (rows.empty()) throw base::InputError("no row matches --rows and --priority; --list shows all rows");
  return rows;
}

// Checks that the kernel of each row accepts its problem, for a fictional GPU.
int list(const std::vector<Row>& rows) {
  int wrong = 0;
  for (const Row& row : rows) {
    std::string state = fmt::format("priority {}, goal {}", row.priority, row.goal.text());
    try {
      for (const std::string& reference : row.references) bench::vendor::find_reference(reference);
      const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(row.kernel), row.problem,
                                                      model::fictional_gpu());
    } catch (const base::Error& error) {
      ++wrong;
      state = error.what();
    }
    fmt::print("{}: {}\n", row.name, state);
  }
  return wrong == 0 ? 0 : 1;
}

int print_tune_commands(const std::vector<Row>& rows, const po::variables_map& given) {
  std::set<std::string> printed;
  for (const Row& row : rows) {
    if (row.restrict_to) continue;
    std::string command = fmt::format("warptune tune {}", row.kernel);
    for (const auto& [name, value] : row.problem)
      command += fmt::format(" --size {}={}", name, model::to_text(value));
    if (!printed.insert(command).second) continue;
    command += fmt::format(" --budget {}", given["budget"].as<std::string>());
    if (const auto db = given["db"].as<std::string>(); !db.empty()) command += fmt::format(" --db {}", db);
    fmt::print("{}\n", command);
  }
  return 0;
}

// The database of --db, or else the user's.
fs::path database_of(const po::variables_map& given) {
  const fs::path path = given["db"].as<std::string>();
  return path.empty() ? base::data_folder() / "warptune.db" : path;
}

fs::path compile_cache_of(const po::variables_map& given) {
  const fs::path path = given["compile-cache"].as<std::string>();
  return path.empty() ? kernel_templates::default_compile_cache() : path;
}

int tune_restricted(const std::vector<Row>& rows, const po::variables_map& given) {
  const profiling::GpuList list = tuner::gpus::list_local_gpus();
  if (list.gpus.empty()) throw base::MachineError("no GPU: " + list.reason, "run this where there is one");
  db::Store store(database_of(given));
  for (const Row& row : rows) {
    if (!row.restrict_to) continue;
    fmt::print("{}\n",
               bench::vendor::tune_restricted(row, list.gpus.front(), store,
                                              given["budget"].as<std::string>(), compile_cache_of(given)));
    std::fflush(stdout);
  }
  return 0;
}

int measure(int argument_count, char** arguments) {
  const auto parsed = bench::parse_options(kProgram, options_description(), argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const std::vector<Row> rows = chosen_rows(given);
  if (given["list"].as<bool>()) return list(rows);
  if (given["tune-commands"].as<bool>()) return print_tune_commands(rows, given);
  if (given["tune-restricted"].as<bool>()) return tune_restricted(rows, given);

  const profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty()) throw base::MachineError("no GPU: " + list.reason, "run this where there is one");
  bench::vendor::ComparisonOptions options;
  options.rounds = given["rounds"].as<int>();
  options.seed = given["seed"].as<std::uint64_t>();
  options.compile_cache = compile_cache_of(given);
  const fs::path database = database_of(given);
  std::optional<db::Store> store;
  if (fs::exists(database)) {
    store = db::Store::open_existing(database);
  } else {
    fmt::print(stderr, "{}: no database {}: only defaults are timed\n", kProgram, database.string());
  }

  bench::vendor::RunHead head{list.gpus.front(), profiling::read_environment(0), {}, options.rounds};
  bench::vendor::Bench bench(head.gpu, store ? &*store : nullptr, options);
  std::vector<Comparison> comparisons;
  const fs::path out = given["out"].as<std::string>();
  // Write the results after each row, so that an interrupted run keeps them.
  const auto write = [&] {
    head.roofs = bench.roofs();
    if (out.empty()) return;
    base::write_file_atomically(out / "vendor.md", bench::vendor::to_markdown(head, comparisons));
    base::write_file_atomically(out / "vendor.json", bench::vendor::to_json(head, comparisons));
  };
  for (const Row& row : rows) {
    comparisons.push_back(bench.measure(row));
    fmt::print("{}", bench::vendor::line_of(comparisons.back()));
    std::fflush(stdout);
    write();
  }
  if (out.empty()) fmt::print("\n{}", bench::vendor::to_markdown(head, comparisons));
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
