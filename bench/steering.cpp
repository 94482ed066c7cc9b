// Measures what static features and counters gain in the search. It runs the Gaussian process of strategy
// `surrogate` over recordings, with and without them, from the same starts: bench/README.md. Needs no GPU.

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <deque>
#include <exception>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>

#include "bench/steering_report.h"
#include "bench/steering_search.h"
#include "bench/steering_stop.h"
#include "tuner/commands/options.h"
#include "tuner/replay/strategy_replay.h"
#include "tuner/text_output/text_table.h"

using namespace warptune;
using bench::CounterUse;
using bench::FeatureTable;
using bench::SteeringInput;
using bench::Variant;
using bench::VariantRuns;

namespace {

constexpr std::size_t kCompiles = 8;
const std::vector<std::uint64_t> kBudgets = {10, 20, 50, 100};

struct Workload {
  explicit Workload(const std::filesystem::path& path)
      : replayed(path),
        parameters(bench::parameter_features(space().space())),
        counters(bench::counter_table(space())) {}

  const search::scoring::RecordedSpace& space() const { return replayed.space(); }

  tuner::replay::ReplayWorkload replayed;
  FeatureTable parameters;
  bench::CounterTable counters;
};

// The recording of the same kernel and space on another GPU, if there is one.
const Workload* other_of(const Workload& workload, const std::deque<Workload>& workloads) {
  for (const Workload& other : workloads) {
    const model::Recording& a = workload.space().recording();
    const model::Recording& b = other.space().recording();
    if (&other == &workload || a.workload.kernel != b.workload.kernel) continue;
    bool same = a.parameters.size() == b.parameters.size();
    for (std::size_t p = 0; same && p < a.parameters.size(); ++p)
      same = a.parameters[p].name == b.parameters[p].name && a.parameters[p].values == b.parameters[p].values;
    same = same && workload.space().space().size() == other.space().space().size();
    for (std::uint64_t i = 0; same && i < workload.space().space().size(); ++i)
      same = workload.space().space().at(i) == other.space().space().at(i);
    if (same) return &other;
  }
  return nullptr;
}

// The logarithms of the recorded times, in the order of the space and scaled to [0, 1]. Failed configurations
// have the mean.
Eigen::MatrixXf times_of(const Workload& workload) {
  const std::vector<search::scoring::ReplayRow>& rows = workload.space().rows();
  Eigen::MatrixXf times =
      Eigen::MatrixXf::Constant(1, static_cast<Eigen::Index>(rows.size()), bench::steering::kUnknown);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].status == model::Status::kMeasured)
      times(0, static_cast<Eigen::Index>(i)) = static_cast<float>(std::log(rows[i].objective_ns));
  }
  return bench::unit_rows(times);
}

std::vector<model::Configuration> best_of(const Workload& workload, std::size_t count) {
  std::vector<std::pair<double, std::uint64_t>> ranked;
  for (std::uint64_t i = 0; i < workload.space().rows().size(); ++i) {
    const search::scoring::ReplayRow& row = workload.space().rows()[i];
    if (row.status == model::Status::kMeasured) ranked.emplace_back(row.objective_ns, i);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<model::Configuration> best;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i)
    best.push_back(workload.space().space().at(ranked[i].second));
  return best;
}

std::vector<search::Observation> observations_of(const Workload& workload) {
  std::vector<search::Observation> observations;
  for (std::uint64_t i = 0; i < workload.space().rows().size(); ++i) {
    const search::scoring::ReplayRow& row = workload.space().rows()[i];
    observations.push_back({workload.space().space().at(i), row.status, row.objective_ns});
  }
  return observations;
}

// Changes each variant only after it is in the deque, because its input points to its own features.
void add_variants(std::deque<Variant>& variants, const Workload& workload, const Workload* other) {
  SteeringInput base;
  base.recorded = &workload.space();
  base.parameters = &workload.parameters;
  base.time_features = &workload.parameters;
  base.counters = &workload.counters;
  const char* kBase = "parameters";
  variants.push_back({kBase, "", base});
  const auto add = [&](const char* name, const char* against, const Eigen::MatrixXf& rows) -> Variant& {
    variants.push_back({name, against, base, with_rows(workload.parameters, rows)});
    variants.back().input.time_features = &variants.back().features;
    return variants.back();
  };
  const Eigen::MatrixXf resources = bench::static_features(workload.space());
  for (const bool more : {false, true}) {
    Variant& variant = add(more ? "static, 8 more compiled" : "static, best 8 compiled", kBase, resources);
    variant.input.time_features = &workload.parameters;
    variant.input.compiled_features = &variant.features;
    variant.input.compiles = kCompiles;
    variant.input.compile_new = more;
  }
  add("static of all (bound)", kBase, resources);
  if (workload.counters.any) {
    variants.push_back({"counters predicted", kBase, base});
    variants.back().input.counter_use = CounterUse::kFeatures;
    add("counters of all (bound)", kBase, bench::unit_rows(workload.counters.work));
    variants.push_back({"wanted change, predicted", kBase, base});
    variants.back().input.counter_use = CounterUse::kWanted;
    variants.push_back({"the same, one in 5 counted", kBase, variants.back().input});
    variants.back().input.count_every = 5;
    Variant& both = add("the same, 8 more compiled", kBase, resources);
    both.input.time_features = &workload.parameters;
    both.input.compiled_features = &both.features;
    both.input.compiles = kCompiles;
    both.input.compile_new = true;
    both.input.counter_use = CounterUse::kWanted;
    variants.push_back({"wanted change (bound)", kBase, base});
    variants.back().input.counter_use = CounterUse::kWantedExact;
  }
  if (other == nullptr) return;
  variants.push_back({"other GPU as a source", kBase, base});
  variants.back().source = observations_of(*other);
  variants.push_back({"other GPU's best 3 first", kBase, base});
  variants.back().input.first = best_of(*other, 3);
  const Eigen::MatrixXf times = times_of(*other);
  if (!other->counters.any) {
    add("other GPU's times", kBase, times);
    return;
  }
  const Eigen::MatrixXf work = bench::unit_rows(other->counters.work);
  add("other GPU's counters", kBase, work);
  add("other GPU's times", kBase, times);
  Eigen::MatrixXf both(times.rows() + work.rows(), times.cols());
  both << times, work;
  add("other GPU's times and counters", "other GPU's times", both);
  variants.push_back({"other GPU's counters, wanted change", kBase, base});
  variants.back().input.counter_use = CounterUse::kWantedExact;
  variants.back().input.counters = &other->counters;
  const Variant& seeded = *std::find_if(variants.begin(), variants.end(),
                                        [](const Variant& variant) { return !variant.input.first.empty(); });
  const SteeringInput first = seeded.input;
  add("best 3 first, counters", seeded.name.c_str(), work).input.first = first.first;
  variants.push_back({"best 3 first, wanted change", seeded.name, first});
  variants.back().input.counter_use = CounterUse::kWantedExact;
  variants.back().input.counters = &other->counters;
}

std::vector<VariantRuns> run_all(const std::deque<Variant>& variants, std::uint64_t repeats,
                                 std::uint64_t evaluations, std::size_t jobs) {
  std::vector<VariantRuns> results(variants.size());
  for (VariantRuns& runs : results) {
    runs.traces.resize(repeats);
    runs.told.resize(repeats);
    runs.compiled.resize(repeats);
  }
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&] {
    for (std::uint64_t i = next++; i < variants.size() * repeats; i = next++) {
      try {
        const SteeringInput& input = variants[i / repeats].input;
        search::scoring::SimulationOptions options;
        options.budget.evaluations = evaluations;
        options.seed = 1 + i % repeats;
        VariantRuns& runs = results[i / repeats];
        if (!variants[i / repeats].source.empty()) {
          options.source = variants[i / repeats].source;
          runs.traces[i % repeats] = search::scoring::simulate("surrogate", *input.recorded, options);
          runs.compiled[i % repeats] = static_cast<double>(evaluations);
          continue;
        }
        bench::SteeredSearch search(input, options.seed);
        runs.traces[i % repeats] = search::scoring::simulate(search, *input.recorded, options);
        runs.told[i % repeats] = search.told();
        runs.compiled[i % repeats] = static_cast<double>(search.compiled());
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = variants.size() * repeats;
      }
    }
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
  return results;
}

void add_stops(tuner::text_output::TextTable& table, const Workload& workload, const VariantRuns& runs) {
  const model::Recording& recording = workload.space().recording();
  const std::optional<double> roof_ns = model::roof_time_ns({0.0, recording.work.bytes}, recording.roofs);
  if (!roof_ns) return;
  const double kAny = std::numeric_limits<double>::infinity();
  for (const bench::StopRule& rule : {bench::StopRule{0.90, 1.1, 0},
                                      {0.90, kAny, 0},
                                      {0.95, 1.1, 0},
                                      {0.98, 1.1, 0},
                                      {0.90, 1.1, 10},
                                      {0.0, kAny, 10},
                                      {0.0, kAny, 20}}) {
    const bench::StopFigures figures = stop_figures(workload.space(), runs.traces, runs.told, rule);
    table.add({workload.replayed.name(), fmt::format("{:.0f} %", 100 * rule.roof_share),
               rule.max_bytes == kAny ? "any" : fmt::format("{:.1f}", rule.max_bytes),
               fmt::format("{}", rule.patience),
               fmt::format("{:.1f} %", 100 * *roof_ns / workload.space().best_ns()),
               fmt::format("{:.0f} %", 100 * figures.stopped), fmt::format("{:.1f}", figures.evaluations),
               fmt::format("{:.2f} %", 100 * figures.mean_loss),
               fmt::format("{:.2f} %", 100 * figures.worst_loss),
               fmt::format("{:.2f} %", 100 * figures.end_loss)});
  }
}

int measure(const std::vector<std::string>& arguments) {
  tuner::commands::Options options(
      "steering RECORDING...",
      "Runs variants of the search over recordings to measure what features and counters gain.");
  options.positional("RECORDING", 1, -1)
      .value("repeats", "N", "runs of each variant, with seeds 1, 2, ...", "30")
      .value("budget", "N", "evaluations of a run", "100")
      .value("leave-out", "PREFIX", "also compare without the recordings whose names begin with PREFIX")
      .value("jobs", "N", "parallel runs", "1");
  if (!options.parse(arguments)) return 0;
  const std::uint64_t budget = *options.number("budget");
  std::vector<std::uint64_t> budgets;
  for (const std::uint64_t each : kBudgets)
    if (each <= budget) budgets.push_back(each);
  std::deque<Workload> workloads;
  for (const std::string& path : options.texts("RECORDING")) {
    if (std::filesystem::exists(path)) {
      workloads.emplace_back(path);
    } else {
      fmt::print("{} does not exist: skipped\n", path);
    }
  }
  bench::SteeringReport report(budgets);
  bench::SteeringReport report_of_others(budgets);
  const std::string left_out = options.text("leave-out").value_or("");
  tuner::text_output::TextTable stops({"stop rule", "roof", "bytes", "patience", "best", "stopped",
                                       "evaluations", "loss", "worst", "over the best"},
                                      {1, 2, 3, 4, 5, 6, 7, 8, 9});
  for (const Workload& workload : workloads) {
    std::deque<Variant> variants;
    add_variants(variants, workload, other_of(workload, workloads));
    const std::vector<VariantRuns> results =
        run_all(variants, *options.number("repeats"), budget, *options.number("jobs"));
    report.print_recording(workload.replayed, variants, results);
    report.add(workload.replayed, variants, results);
    if (left_out.empty() || !workload.replayed.name().starts_with(left_out))
      report_of_others.add(workload.replayed, variants, results);
    add_stops(stops, workload, results.front());
  }
  report.print_comparisons();
  if (!left_out.empty()) {
    fmt::print("Without {}*:\n", left_out);
    report_of_others.print_comparisons();
  }
  fmt::print("{}", stops.text());
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return measure({arguments + 1, arguments + argument_count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
