#include "tuner/commands/replay_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/replay/regret_plot.h"
#include "tuner/replay/replay_figures.h"
#include "tuner/replay/replay_report.h"
#include "tuner/replay/replay_traces.h"
#include "tuner/replay/strategy_replay.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

constexpr std::uint64_t kMaxJobs = 1024;
constexpr std::uint64_t kMaxRepeats = 10000;
constexpr std::uint64_t kMaxWorkers = 1024;
constexpr std::uint64_t kMaxChoiceUs = 60'000'000;

std::vector<std::string> strategies_or_none() {
  std::vector<std::string> words = strategy_words();
  words.emplace_back("none");
  return words;
}

// The names of the strategies; empty for `none`.
std::vector<std::string> read_strategies(const Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : base::split(*options.text("strategy"), ',')) {
    names.emplace_back(base::trim(name));
  }
  if (std::find(names.begin(), names.end(), "none") == names.end()) return names;
  if (names.size() > 1) {
    throw base::InputError(
        fmt::format("--strategy {}: none cannot be combined with other strategies", fmt::join(names, ",")));
  }
  if (options.has("source")) {
    throw base::InputError("--strategy none runs no strategy that could use --source");
  }
  return {};
}

// The machine of simulated sessions, if `--workers` asks for them.
std::optional<replay::SimulatedSetting> read_session(const Options& options) {
  const std::optional<std::uint64_t> workers = options.positive_number("workers");
  if (!workers) {
    for (const std::string name : {"cached", "choice-us"}) {
      if (options.has(name))
        throw base::InputError(fmt::format("--{} is for simulated sessions: add --workers N", name));
    }
    return std::nullopt;
  }
  if (*workers > kMaxWorkers)
    throw base::InputError(fmt::format("--workers {}: expected at most {}", *workers, kMaxWorkers));
  if (options.has("pending")) {
    throw base::InputError(
        "--pending cannot be combined with --workers: a simulated session decides how many are pending");
  }
  const std::uint64_t cached = options.number("cached").value_or(0);
  if (cached > 100)
    throw base::InputError(fmt::format("--cached {}: expected a percentage, 0 to 100", cached));
  replay::SimulatedSetting setting;
  setting.compile_workers = static_cast<std::size_t>(*workers);
  setting.cached_share = 0.01 * static_cast<double>(cached);
  if (const auto choice_us = options.number("choice-us")) {
    if (*choice_us > kMaxChoiceUs) {
      throw base::InputError(fmt::format("--choice-us {}: expected at most {} us", *choice_us, kMaxChoiceUs));
    }
    setting.choice_s = 1e-6 * static_cast<double>(*choice_us);
  }
  return setting;
}

replay::ReplayPlan read_plan(const Options& options) {
  replay::ReplayPlan plan;
  plan.strategies = read_strategies(options);
  plan.repeats = options.positive_number("repeats").value_or(plan.repeats);
  if (plan.repeats > kMaxRepeats) {
    throw base::InputError(fmt::format("--repeats {}: expected at most {}", plan.repeats, kMaxRepeats));
  }
  const std::string budget = *options.text("budget");
  if (budget != "score") plan.budget = session::Budget::parse(budget);
  plan.seed = options.number("seed").value_or(plan.seed);
  plan.pending = static_cast<std::size_t>(options.positive_number("pending").value_or(plan.pending));
  plan.session = read_session(options);
  const std::uint64_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t jobs = options.positive_number("jobs").value_or(processors);
  plan.jobs = static_cast<std::size_t>(std::min(jobs, kMaxJobs));
  return plan;
}

std::vector<replay::ReplayWorkload> read_workloads(const std::vector<std::string>& paths) {
  std::vector<replay::ReplayWorkload> workloads;
  for (const std::string& path : paths) {
    workloads.emplace_back(path);
    for (std::size_t i = 0; i + 1 < workloads.size(); ++i) {
      if (workloads[i].name() == workloads.back().name()) {
        throw base::InputError(fmt::format("two recordings are named {}: {} and {}", workloads[i].name(),
                                           paths[i], paths[workloads.size() - 1]));
      }
    }
  }
  return workloads;
}

// Throws `base::InputError` if there is neither a strategy to run nor a run of another tuner to score.
void require_runs(bool has_strategies, bool has_traces) {
  if (!has_strategies && !has_traces)
    throw base::InputError("--strategy none leaves nothing to score; give runs with --with-traces");
}

std::vector<replay::StrategyRuns> all_runs(const ReplayOptions& options, const replay::ReplayPlan& plan,
                                           const std::vector<replay::ReplayWorkload>& workloads) {
  std::vector<replay::StrategyRuns> others;
  for (const std::string& path : options.traces) {
    for (replay::StrategyRuns& runs : replay::read_traces(path, workloads)) others.push_back(std::move(runs));
  }
  require_runs(!plan.strategies.empty(), !others.empty());
  std::vector<replay::StrategyRuns> runs;
  if (!plan.strategies.empty()) {
    text_output::StepProgress progress(stderr, ::isatty(STDERR_FILENO) != 0, "run");
    runs = replay::replay_strategies(
        plan, workloads, [&](std::uint64_t done, std::uint64_t all) { progress.show(done, all); });
  }
  runs.insert(runs.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return runs;
}

int replay_spaces(const ReplayOptions& options) {
  const std::vector<replay::ReplayWorkload> workloads = read_workloads(options.recordings);
  replay::ReplayPlan plan = options.plan;
  std::optional<replay::ReplayWorkload> source;
  if (options.source) plan.source = &source.emplace(*options.source);
  const std::vector<replay::StrategyRuns> runs = all_runs(options, plan, workloads);
  if (options.traces_output)
    base::write_file_atomically(*options.traces_output, replay::traces_csv(runs, workloads));
  const replay::ReplayFigures figures = replay::replay_figures(runs, workloads);
  if (options.csv_output)
    base::write_file_atomically(*options.csv_output, replay::replay_csv(figures, workloads));
  if (options.plot_output)
    base::write_file_atomically(*options.plot_output, replay::regret_plot(runs, workloads));
  if (options.json) {
    text_output::print_out("{}\n", replay::replay_json(figures, workloads));
  } else {
    text_output::print_fitted(replay::replay_text(figures, workloads));
  }
  return 0;
}

Options declare_replay() {
  Options options(
      "replay RECORDING...",
      "Runs search strategies on recordings, without a GPU, and scores them. Reads warptune's recordings, "
      "caches of Kernel Tuner, and results of T4 and KTT, gzipped or not.");
  options.positional("RECORDING", 1, -1)
      .value("strategy", "NAME[,NAME]",
             "strategies to run; the others are compared with the first. NAME+source and NAME+shuffled use "
             "--source. none: score only traces",
             "auto,random")
      .known_words(strategies_or_none)
      .value("source", "RECORDING",
             "a recording of the same kernel on another GPU or for another size, for NAME+source. "
             "NAME+shuffled gets its times in random order")
      .value("repeats", "N", "number of runs of each strategy on each recording, at most 10000", "30")
      .value("budget", "score|200|300s|all",
             "limit of each run: a number of evaluations, simulated seconds, the whole space, or score: "
             "what the score P needs (docs/replay.md), at least 200 evaluations",
             "score")
      .value("seed", "N", "seed of the first run; each further run of a strategy adds 1", "1")
      .value("pending", "N",
             "number of evaluations that a strategy asks for before it gets the result of the oldest; "
             "default: 1")
      .value(
          "workers", "N",
          "simulate sessions of tune in time, with N compile workers and one GPU. With --budget score they "
          "end after 200 evaluations")
      .value("cached", "PERCENT",
             "share of programs that simulated sessions find in the compile cache; "
             "default: 0")
      .value(
          "choice-us", "N",
          "the time that each choice of a strategy takes in simulated sessions, us; default: its CPU time, "
          "with which runs of equal seeds may differ")
      .value("jobs", "N", "number of parallel runs; default: one for each processor")
      .values("with-traces", "FILE", "also score runs of another tuner; may be repeated")
      .value("write-traces", "FILE",
             "write every evaluation of every run, in the format that --with-traces reads")
      .value("csv", "FILE", "write all figures as CSV")
      .value("plot", "FILE", "draw the regret curves as SVG")
      .common();
  options
      .example("replay sgemm-h200.wtrec.zst --strategy auto,random --repeats 5",
               "Compares two strategies on a recording.")
      .example("replay sgemm-h200.wtrec.zst --workers 16 --budget 20s --repeats 5",
               "Simulates sessions of 20 s with 16 compile workers.")
      .example("replay sgemm-h200.wtrec.zst --plot regret.svg --csv figures.csv",
               "Draws the regret curves and writes every figure.")
      .related({"strategies", "tune"});
  return options;
}

}  // namespace

std::optional<ReplayOptions> parse_replay(const std::vector<std::string>& arguments) {
  Options options = declare_replay();
  if (!options.parse(arguments)) return std::nullopt;
  ReplayOptions read;
  read.recordings = options.texts("RECORDING");
  read.plan = read_plan(options);
  read.source = options.path("source");
  read.traces = options.texts("with-traces");
  require_runs(!read.plan.strategies.empty(), !read.traces.empty());
  read.traces_output = options.output_path("write-traces");
  read.csv_output = options.output_path("csv");
  read.plot_output = options.output_path("plot");
  read.json = options.json();
  return read;
}

namespace {

int run_replay(const std::vector<std::string>& arguments) {
  const std::optional<ReplayOptions> options = parse_replay(arguments);
  return options ? replay_spaces(*options) : 0;
}

}  // namespace

Command replay_command() {
  return {"replay", "run search strategies on recordings and score them, without a GPU", run_replay,
          [] { return declare_replay().description(); }};
}

}  // namespace warptune::tuner::commands
