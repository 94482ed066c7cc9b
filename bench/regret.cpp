// Measures how much slower the choices of sessions are than the best. Several sessions with different seeds
// tune one space. Then their winners and the fastest configurations of all sessions are timed again in many
// interleaved rounds: bench/README.md. Needs a GPU.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>

#include "base/error.h"
#include "bench/gpu_instance.h"
#include "bench/program.h"
#include "bench/warning_listener.h"
#include "kernel_templates/compile_cache.h"
#include "tuner/session/tuning_session.h"
#include "tuner/workers/process_evaluator.h"

namespace po = boost::program_options;
namespace fs = std::filesystem;
using namespace warptune;

namespace {

constexpr const char* kProgram = "bench_regret";

tuner::session::SessionPlan plan_for(const kernel_templates::KernelInstance& instance,
                                     const std::string& budget, const std::string& strategy,
                                     std::uint64_t seed) {
  tuner::session::SearchRequest search;
  search.budget = tuner::session::Budget::parse(budget);
  search.strategy = strategy;
  search.seed = seed;
  return {search,
          {instance.definition().name, instance.definition().hash, instance.problem(), instance.gpu()},
          instance.space(),
          instance.default_configuration(),
          instance.work()};
}

// A configuration with the best median of all sessions.
struct Known {
  model::NamedValues configuration;
  double median_ns = 0.0;
};

int measure(int argument_count, char** arguments) {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help", "show this");
  add("kernel", po::value<std::string>()->default_value("vector_add"), "name or path");
  add("size", po::value<std::vector<std::string>>()->multitoken()->default_value({}, ""), "NAME=VALUE ...");
  add("budget", po::value<std::string>()->default_value("all"), "budget of each session");
  add("strategy", po::value<std::string>()->default_value("auto"), "strategy of each session");
  add("sessions", po::value<int>()->default_value(10), "number of sessions, with seeds 1, 2, ...");
  add("rounds", po::value<int>()->default_value(100), "interleaved rounds in which winners are timed again");
  add("rivals", po::value<std::size_t>()->default_value(24),
      "number of fastest configurations of all sessions that are timed, too");
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const kernel_templates::KernelInstance instance =
      bench::instance_on_gpu(given["kernel"].as<std::string>(), given["size"].as<std::vector<std::string>>());
  const fs::path folder = fs::temp_directory_path() / fmt::format("warptune_regret_{}", ::getpid());
  fs::create_directories(folder);
  bench::WarningListener listener;
  const base::Cancellation never;

  std::vector<model::NamedValues> winners;
  std::map<std::string, Known> known;
  for (int session = 1; session <= given["sessions"].as<int>(); ++session) {
    const tuner::session::SessionPlan plan =
        plan_for(instance, given["budget"].as<std::string>(), given["strategy"].as<std::string>(),
                 static_cast<std::uint64_t>(session));
    tuner::workers::ProcessEvaluatorOptions evaluator_options;
    evaluator_options.measuring.compile_cache = folder / "cache";
    evaluator_options.measuring.seed = plan.seed;
    evaluator_options.measuring.count = false;
    tuner::workers::ProcessEvaluator evaluator(instance, evaluator_options);
    db::Store store(folder / fmt::format("{}.db", session));
    const tuner::session::SessionResult result =
        tuner::session::run_session(plan, evaluator, store, listener, never);
    if (!result.best) throw base::WorkError("a session measured nothing");
    winners.push_back(result.best->configuration);
    for (const db::StoredMeasurement& row : store.measurements(plan.workload)) {
      if (row.measurement.status != model::Status::kMeasured) continue;
      Known& entry = known[model::key_of(row.measurement.configuration)];
      const double median_ns = row.measurement.time->median_ns;
      if (entry.median_ns == 0.0 || median_ns < entry.median_ns)
        entry = {row.measurement.configuration, median_ns};
    }
    fmt::print("session {}: {} evaluated in {:.1f} s, best {:.2f} us: {}\n", session,
               result.progress.evaluated, result.progress.elapsed_s, result.best->time->median_ns * 1e-3,
               model::to_text(result.best->configuration));
    std::fflush(stdout);
  }

  // With --budget all, the best of the space is among the fastest medians of all sessions.
  std::vector<Known> fastest;
  for (auto& [key, entry] : known) fastest.push_back(std::move(entry));
  std::sort(fastest.begin(), fastest.end(),
            [](const Known& a, const Known& b) { return a.median_ns < b.median_ns; });
  std::map<std::string, model::NamedValues> finalists;
  for (const model::NamedValues& winner : winners) finalists[model::key_of(winner)] = winner;
  for (std::size_t i = 0; i < std::min(given["rivals"].as<std::size_t>(), fastest.size()); ++i)
    finalists[model::key_of(fastest[i].configuration)] = fastest[i].configuration;
  std::vector<model::NamedValues> configurations;
  for (const auto& [key, configuration] : finalists) configurations.push_back(configuration);
  tuner::workers::ProcessEvaluatorOptions evaluator_options;
  evaluator_options.measuring.compile_cache = folder / "cache";
  evaluator_options.measuring.count = false;
  tuner::workers::ProcessEvaluator evaluator(instance, evaluator_options);
  const auto samples = evaluator.time_interleaved(configurations, given["rounds"].as<int>());
  if (samples.size() != configurations.size()) throw base::WorkError("the winners could not be timed again");
  std::map<std::string, double> medians;
  double best_ns = 0.0;
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const std::optional<model::TimeSummary> time = model::summarise(samples[i].samples_ns);
    if (!time)
      throw base::WorkError(model::to_text(configurations[i]) + " was wrong when it was timed again");
    medians[model::key_of(configurations[i])] = time->median_ns;
    if (best_ns == 0.0 || time->median_ns < best_ns) best_ns = time->median_ns;
  }
  fs::remove_all(folder);
  int within = 0;
  std::string text;
  for (const model::NamedValues& winner : winners) {
    const double regret = medians.at(model::key_of(winner)) / best_ns - 1.0;
    if (regret <= 0.01) ++within;
    text += fmt::format(" {:.2f}", 100.0 * regret);
  }
  fmt::print(
      "{} {}: best {:.2f} us of {} timed {} times; regret of the winners, %:{}; within 1 %: {} of {}\n",
      instance.definition().name, model::to_text(instance.problem()), best_ns * 1e-3, configurations.size(),
      given["rounds"].as<int>(), text, within, winners.size());
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
