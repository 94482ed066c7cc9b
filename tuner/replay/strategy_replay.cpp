#include "tuner/replay/strategy_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <mutex>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/log.h"
#include "db/recording_file.h"
#include "search/scoring/aggregate_score.h"
#include "search/strategy.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/replay/replay_source.h"
#include "tuner/replay/simulated_session.h"

namespace warptune::tuner::replay {

namespace {

constexpr std::uint64_t kMinEvaluations = 200;

search::scoring::SimulationOptions options_of(const ReplayPlan& plan,
                                              const search::scoring::RecordedSpace& space,
                                              std::uint64_t repeat) {
  search::scoring::SimulationOptions options;
  options.seed = plan.seed + repeat;
  options.pending = plan.pending;
  if (plan.budget) {
    options.budget.evaluations = plan.budget->evaluations;
    options.budget.seconds = plan.budget->seconds;
    // The strategy must know that it may evaluate everything, as in a session.
    const bool everything = !plan.budget->evaluations && !plan.budget->seconds;
    if (everything) options.budget.evaluations = space.space().size();
  } else {
    options.budget.seconds = search::scoring::kScoredBudget *
                             search::scoring::cut_off(space, search::scoring::kLastPercentile).seconds;
    options.budget.min_evaluations = kMinEvaluations;
  }
  return options;
}

search::scoring::Trace simulate_session_of(const ReplayPlan& plan, const std::string& strategy,
                                           const search::scoring::RecordedSpace& space,
                                           const search::scoring::SimulationOptions& given) {
  search::StrategyOptions options;
  options.seed = given.seed;
  options.source = given.source;
  SessionSimulation simulation;
  simulation.machine.compile_workers = plan.session->compile_workers;
  simulation.cache = {plan.session->cached_share, given.seed};
  simulation.choice_s = plan.session->choice_s;
  if (plan.budget) {
    simulation.budget = *plan.budget;
    options.evaluations = given.budget.evaluations;
  } else {
    simulation.stop_after = kMinEvaluations;
  }
  return simulate_session(strategy, space, options, simulation);
}

// Simulates one run after another until none is left or one has failed.
class RunPool {
 public:
  RunPool(const ReplayPlan& plan, const std::vector<ReplayWorkload>& workloads,
          const std::vector<std::vector<search::Observation>>& sources, const ReplayProgress& progress,
          std::vector<StrategyRuns>& results)
      : plan_(plan),
        workloads_(workloads),
        sources_(sources),
        progress_(progress),
        results_(results),
        all_(plan.strategies.size() * workloads.size() * plan.repeats) {}

  void finish() {
    std::vector<std::thread> threads;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(plan_.jobs, all_));
    threads.reserve(count);
    try {
      while (threads.size() + 1 < count) threads.emplace_back([this] { work(); });
    } catch (const std::exception& error) {
      // The operating system allows no more threads. The existing ones do the work.
      base::log_info(fmt::format("{} threads instead of {}: {}", threads.size() + 1, count, error.what()));
    }
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void work() {
    for (std::uint64_t next = next_++; next < all_; next = next_++) {
      try {
        run(next);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        next_ = all_;
        return;
      }
      const std::lock_guard lock(mutex_);
      progress_(++done_, all_);
    }
  }

  void run(std::uint64_t index) {
    const std::uint64_t repeat = index % plan_.repeats;
    const std::uint64_t recording = index / plan_.repeats % workloads_.size();
    const std::uint64_t strategy = index / plan_.repeats / workloads_.size();
    const search::scoring::RecordedSpace& space = workloads_[recording].space();
    const auto replayed = ReplayedStrategy::parse(plan_.strategies[strategy]);
    search::scoring::SimulationOptions options = options_of(plan_, space, repeat);
    if (replayed.source != ReplaySource::kNone) options.source = sources_[recording];
    if (replayed.source == ReplaySource::kShuffled) shuffle_objectives(options.source, options.seed);
    search::scoring::Trace trace = plan_.session ? simulate_session_of(plan_, replayed.name, space, options)
                                                 : search::scoring::simulate(replayed.name, space, options);
    trace.strategy = plan_.strategies[strategy];
    trace.repeat = repeat;
    results_[strategy].by_recording[recording][repeat] = std::move(trace);
  }

  const ReplayPlan& plan_;
  const std::vector<ReplayWorkload>& workloads_;
  const std::vector<std::vector<search::Observation>>& sources_;  // By workload.
  const ReplayProgress& progress_;
  std::vector<StrategyRuns>& results_;
  std::uint64_t all_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex mutex_;
  std::uint64_t done_ = 0;
  std::exception_ptr failure_;
};

void check_strategies(const std::vector<std::string>& strategies,
                      const search::scoring::RecordedSpace& space) {
  std::set<std::string> seen;
  for (const std::string& strategy : strategies) {
    if (!seen.insert(strategy).second) {
      throw base::InputError(fmt::format("--strategy names {} twice", strategy));
    }
    search::make_strategy(ReplayedStrategy::parse(strategy).name, space.space(), {});
  }
}

// The observations of the source that the strategies of each workload know.
std::vector<std::vector<search::Observation>> sources_of(const ReplayPlan& plan,
                                                         const std::vector<ReplayWorkload>& workloads) {
  const auto informed = std::find_if(
      plan.strategies.begin(), plan.strategies.end(),
      [](const std::string& name) { return ReplayedStrategy::parse(name).source != ReplaySource::kNone; });
  const bool any_informed = informed != plan.strategies.end();
  if (any_informed && plan.source == nullptr)
    throw base::InputError(fmt::format("--strategy {} needs a source: add --source RECORDING", *informed));
  if (!any_informed && plan.source != nullptr) {
    throw base::InputError(
        "--source is for strategies named NAME+source or NAME+shuffled; --strategy has none");
  }
  std::vector<std::vector<search::Observation>> sources;
  for (const ReplayWorkload& workload : workloads) {
    if (!any_informed) break;
    if (workload.name() == plan.source->name())
      throw base::InputError(fmt::format(
          "--source {} is also one of the replayed recordings; choose another recording of the kernel",
          workload.name()));
    sources.push_back(observations_of(plan.source->space(), workload.space().space()));
    if (sources.back().empty()) {
      throw base::InputError(
          fmt::format("--source {} has no configuration of {}: its parameters or values differ",
                      plan.source->name(), workload.name()));
    }
  }
  return sources;
}

}  // namespace

std::string recording_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  static const std::set<std::string> kEndings = {".gz", ".zst", ".json", ".wtrec"};
  while (kEndings.count(name.extension().string()) != 0) name = name.stem();
  return name.string();
}

ReplayWorkload::ReplayWorkload(const std::filesystem::path& path) try
    : ReplayWorkload(recording_name(path), knowledge::with_present_names(db::read_any_recording(path))) {
} catch (const base::InputError& error) {
  if (!error.position().file.empty()) throw;
  throw base::InputError(error.what(), {path.string(), 0, 0});
}

ReplayWorkload::ReplayWorkload(std::string name, model::Recording recording)
    : name_(std::move(name)),
      recording_(std::make_unique<const model::Recording>(std::move(recording))),
      space_(std::make_unique<const search::scoring::RecordedSpace>(*recording_)) {}

std::vector<StrategyRuns> replay_strategies(const ReplayPlan& plan,
                                            const std::vector<ReplayWorkload>& workloads,
                                            const ReplayProgress& progress) {
  if (workloads.empty()) throw base::InputError("expected at least one recording to replay");
  check_strategies(plan.strategies, workloads.front().space());
  const std::vector<std::vector<search::Observation>> sources = sources_of(plan, workloads);
  std::vector<StrategyRuns> results;
  for (const std::string& strategy : plan.strategies) {
    results.push_back({strategy, {}});
    results.back().by_recording.resize(workloads.size(), std::vector<search::scoring::Trace>(plan.repeats));
  }
  RunPool(plan, workloads, sources, progress, results).finish();
  return results;
}

}  // namespace warptune::tuner::replay
