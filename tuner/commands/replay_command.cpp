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
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

constexpr std::uint64_t kMostJobs = 1024;
constexpr std::uint64_t kMostRepeats = 10000;

std::vector<std::string> strategies_or_none() {
  std::vector<std::string> words = strategy_words();
  words.emplace_back("none");
  return words;
}

// Empty for `none`.
std::vector<std::string> read_strategies(const Options& options) {
  std::vector<std::string> names;
  for (const std::string& name : base::split(*options.text("strategy"), ',')) {
    names.emplace_back(base::trim(name));
  }
  if (std::find(names.begin(), names.end(), "none") == names.end()) return names;
  if (names.size() > 1) {
    throw base::InputError(fmt::format("--strategy {}: none stands alone", fmt::join(names, ",")));
  }
  if (options.has("source")) {
    throw base::InputError("--strategy none runs nothing that could be told of --source");
  }
  return {};
}

replay::ReplayPlan read_plan(const Options& options) {
  replay::ReplayPlan plan;
  plan.strategies = read_strategies(options);
  plan.repeats = options.positive_number("repeats").value_or(plan.repeats);
  if (plan.repeats > kMostRepeats) {
    throw base::InputError(fmt::format("--repeats {}: expected at most {}", plan.repeats, kMostRepeats));
  }
  const std::string budget = *options.text("budget");
  if (budget != "score") plan.budget = session::Budget::parse(budget);
  plan.seed = options.number("seed").value_or(plan.seed);
  plan.pending = static_cast<std::size_t>(options.positive_number("pending").value_or(plan.pending));
  const std::uint64_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t jobs = options.positive_number("jobs").value_or(processors);
  plan.jobs = static_cast<std::size_t>(std::min(jobs, kMostJobs));
  return plan;
}

std::vector<replay::ReplaySubject> read_subjects(const std::vector<std::string>& paths) {
  std::vector<replay::ReplaySubject> subjects;
  for (const std::string& path : paths) {
    subjects.emplace_back(path);
    for (std::size_t i = 0; i + 1 < subjects.size(); ++i) {
      if (subjects[i].name() == subjects.back().name()) {
        throw base::InputError(fmt::format("two recordings are named {}: {} and {}", subjects[i].name(),
                                           paths[i], paths[subjects.size() - 1]));
      }
    }
  }
  return subjects;
}

// On a terminal one redrawn line, else a plain line every few seconds.
class RunCounter {
 public:
  ~RunCounter() {
    if (drawn_) text_output::erase_line(stderr);
  }
  void show(std::uint64_t done, std::uint64_t all) {
    const auto now = std::chrono::steady_clock::now();
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    if (now - last_ < (terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000))) return;
    last_ = now;
    drawn_ = terminal;
    if (terminal) text_output::erase_line(stderr);
    text_output::print_error("{} of {} runs{}", done, all, terminal ? "" : "\n");
    std::fflush(stderr);
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool drawn_ = false;
};

// Where no strategy is run there must be runs of others.
void require_runs(bool has_strategies, bool has_traces) {
  if (!has_strategies && !has_traces)
    throw base::InputError("--strategy none leaves nothing to score without --with-traces");
}

std::vector<replay::StrategyRuns> all_runs(const ReplayOptions& options, const replay::ReplayPlan& plan,
                                           const std::vector<replay::ReplaySubject>& subjects) {
  std::vector<replay::StrategyRuns> others;
  for (const std::string& path : options.traces) {
    for (replay::StrategyRuns& runs : replay::read_traces(path, subjects)) others.push_back(std::move(runs));
  }
  require_runs(!plan.strategies.empty(), !others.empty());
  std::vector<replay::StrategyRuns> runs;
  if (!plan.strategies.empty()) {
    RunCounter counter;
    runs = replay::replay_strategies(plan, subjects,
                                     [&](std::uint64_t done, std::uint64_t all) { counter.show(done, all); });
  }
  runs.insert(runs.end(), std::make_move_iterator(others.begin()), std::make_move_iterator(others.end()));
  return runs;
}

int replay_spaces(const ReplayOptions& options) {
  const std::vector<replay::ReplaySubject> subjects = read_subjects(options.recordings);
  replay::ReplayPlan plan = options.plan;
  std::optional<replay::ReplaySubject> source;
  if (options.source) plan.source = &source.emplace(*options.source);
  const std::vector<replay::StrategyRuns> runs = all_runs(options, plan, subjects);
  if (options.traces_output)
    base::write_file_atomically(*options.traces_output, replay::traces_csv(runs, subjects));
  const replay::ReplayFigures figures = replay::replay_figures(runs, subjects);
  if (options.csv_output)
    base::write_file_atomically(*options.csv_output, replay::replay_csv(figures, subjects));
  if (options.plot_output)
    base::write_file_atomically(*options.plot_output, replay::regret_plot(runs, subjects));
  if (options.json) {
    text_output::print_out("{}\n", replay::replay_json(figures, subjects));
  } else {
    text_output::print_to(stdout, replay::replay_text(figures, subjects));
  }
  return 0;
}

Options declare_replay() {
  Options options(
      "replay RECORDING...",
      "Runs strategies over recordings, with no GPU, and scores them. Reads warptune's recordings, "
      "Kernel Tuner caches, T4 and KTT results, gzipped or not.");
  options.positional("RECORDING", 1, -1)
      .value("strategy", "NAME[,NAME]",
             "what to run, the one to compare with first; NAME+source and NAME+shuffled know --source; "
             "none: only traces",
             "auto,random")
      .known_words(strategies_or_none)
      .value("source", "RECORDING",
             "the same kernel on another GPU or of another size, for NAME+source; NAME+shuffled is told its "
             "times exchanged by chance")
      .value("repeats", "N", "runs of each strategy on each recording, at most 10000", "30")
      .value(
          "budget", "score|200|300s|all",
          "of each run: evaluations, simulated seconds, or what the score P needs (200 evaluations at least)",
          "score")
      .value("seed", "N", "of the first run; the next runs have the next ones", "1")
      .value("pending", "N", "evaluations asked for before the oldest is told", "1")
      .value("jobs", "N", "runs at a time; default: the processors")
      .values("with-traces", "FILE", "score another tuner's runs beside; may be repeated")
      .value("write-traces", "FILE", "write every evaluation of every run, in the form --with-traces reads")
      .value("csv", "FILE", "write every figure")
      .value("plot", "FILE", "draw the regret curves (SVG)")
      .common();
  options
      .example("replay sgemm-h200.wtrec.zst --strategy auto,random --repeats 5",
               "Compares two strategies on a recording.")
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
  read.traces_output = options.path("write-traces");
  read.csv_output = options.path("csv");
  read.plot_output = options.path("plot");
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
  return {"replay", "strategies run over recordings and scored, with no GPU", run_replay,
          [] { return declare_replay().description(); }};
}

}  // namespace warptune::tuner::commands
