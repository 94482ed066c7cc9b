#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/tune_json.h"
#include "tuner/session/counter_choice.h"
#include "tuner/session/tuning.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/tune_report.h"

namespace warptune::tuner::commands {

namespace {

Options declare_tune() {
  Options options(
      "tune KERNEL",
      "Finds the fastest correct configuration of KERNEL (a shipped name, or a path to a .cu or .toml).");
  declare_kernel(options, 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("budget", "60s|200|all", "how long: a time, a number of evaluations, or the whole space", "60s")
      .value("until", "0.9roof|0.3%",
             "end before the budget: once the best takes at most the roof's time over 0.9, or the strategy's "
             "model expects 60 s more (of a counted budget, 50 evaluations) to gain at most 0.3 %")
      .value("strategy", "NAME", "search strategy; see warptune strategies", "auto")
      .known_words(strategy_words)
      .value("objective", "EXPR[,EXPR]",
             "what to minimise: time, energy, power, a metric, registers, or an expression of them", "time")
      .known_words(objective_words)
      .value("cache", "cold|warm", "what the L2 cache holds before each timed launch", "cold")
      .value("device", "N|all|N,N...", "which GPUs; those of one model share a session", "0")
      .value("metrics", "core|none|full|NAME,...", "hardware counters of every configuration", "core")
      .known_words(metric_words)
      .value("jobs", "N", "compile workers; default one a core")
      .value("compile-cache", "DIR|none",
             fmt::format("folder of compiled code; default {}", kUsualCompileCache))
      .value("seed", "N", "seed of the strategy and of the data", "1");
  declare_timeout(options)
      .flag("fresh", "measure again what the database holds")
      .flag("no-transfer", "begin without what is known of other sizes and GPUs")
      .flag("thorough", "time every configuration to the end, none is dropped")
      .value("replay", "FILE", "answer from a recording instead of a GPU")
      .value("record", "FILE", "write all measurements of this kernel, problem and GPU as a recording");
  declare_database(options);
  declare_readable_folders(options).common();
  options
      .example("tune transpose --budget 60s",
               "Tunes a shipped kernel for a minute, at the size of its definition.")
      .example("tune sgemm --size M=4096 --size N=4096 --size K=4096 --until 0.9roof",
               "Ends as soon as the best reaches 90 % of what the GPU's roofs allow.")
      .example("tune my_kernel.cu --objective time,energy", "Tunes a kernel of your own for time and energy.")
      .related({"query", "export", "explain", "report", "space"});
  return options;
}

/// What a person asked of `tune`, read from the command line once.
struct TuneOptions {
  session::TuningRequest request;
  std::optional<std::filesystem::path> record;
  bool json = false;
  bool quiet = false;
};

session::Goal read_goal(const Options& options, const model::Objective& objective) {
  const std::optional<std::string> text = options.text("until");
  if (!text) return {};
  session::Goal goal = session::Goal::parse(*text);
  if (goal.roof_share && !objective.is_time()) {
    throw base::InputError(
        fmt::format("--until {} is a share of the time, but --objective is {}", *text, objective.text()));
  }
  return goal;
}

// What a slip of the keyboard can spoil is told here, before anything is opened or started.
TuneOptions read_tune(const Options& options) {
  TuneOptions tune;
  session::TuningRequest& request = tune.request;
  request.kernel = options.required("KERNEL");
  request.search.budget = session::Budget::parse(*options.text("budget"));
  request.search.strategy = *options.text("strategy");
  request.search.objective = model::Objective::parse(*options.text("objective"));
  request.search.goal = read_goal(options, request.search.objective);
  request.search.fresh = options.is_set("fresh");
  request.search.transfer = !options.is_set("no-transfer");
  request.compile_workers = static_cast<std::size_t>(options.number("jobs").value_or(0));
  request.timeout = read_timeout(options);
  request.search.seed = request.measuring.seed = options.number("seed").value_or(1);
  request.sizes = read_sizes(options);
  request.readable_folders = read_readable_folders(options);
  request.measuring.cache = read_cache_state(options);
  request.cache_is_named = options.has("cache");
  request.devices = gpus::DeviceChoice::parse(*options.text("device"));
  session::CounterChoice::parse(*options.text("metrics")).apply(request.search.objective, request.measuring);
  check_compile_cache(options);
  request.measuring.compile_cache = read_compile_cache(options);
  request.measuring.thorough = options.is_set("thorough");
  request.database = read_database(options);
  if (const auto file = options.text("replay")) request.recording = *file;
  if (const auto file = options.text("record")) tune.record = *file;
  tune.json = options.json();
  tune.quiet = options.text("log-level") == "off";
  return tune;
}

std::optional<TuneOptions> parse_tune(const std::vector<std::string>& arguments) {
  Options options = declare_tune();
  if (!options.parse(arguments)) return std::nullopt;
  return read_tune(options);
}

void write_recording_of(const std::filesystem::path& file, const session::TuningOutcome& outcome,
                        const db::Store& store) {
  const model::Recording recording = session::recording_of(outcome, store);
  db::write_recording(file, recording);
  text_output::print_error("{} measurements recorded in {}\n", recording.measurements.size(), file.string());
}

int tune(const TuneOptions& options) {
  const session::TuningRequest& request = options.request;
  // One that cannot be read is told before a GPU is set up; a new one is made only where a session can begin.
  if (db::Store::exists(request.database)) db::Store::open_existing(request.database);
  session::Tuning tuning(request);
  if (options.record && tuning.session_count() > 1)
    throw base::InputError("--record takes the GPUs of one model; name them with --device");
  // One session is an object, those of several models are an array of them.
  std::string reports;
  std::optional<base::WorkError> nothing_measured;
  bool interrupted = false;
  for (std::size_t i = 0; i < tuning.session_count() && !interrupted; ++i) {
    const base::InterruptGuard guard;
    text_output::ProgressDisplay display(stderr, ::isatty(STDERR_FILENO) != 0, options.quiet);
    const session::TuningOutcome outcome = tuning.run(i, display, guard.cancellation());
    display.finish();
    const db::Store store = db::Store::open_existing(request.database);
    if (options.record) write_recording_of(*options.record, outcome, store);
    const std::string between = i == 0 ? "" : options.json ? ",\n" : "\n";
    reports += between + (options.json ? json_output::tune_json(outcome, store)
                                       : text_output::tune_text(outcome, store, request.kernel));
    if (!options.json) text_output::print_out("{}", std::exchange(reports, ""));
    interrupted = outcome.result.interrupted;
    if (!interrupted && !outcome.result.best)
      nothing_measured = text_output::nothing_measured_in(outcome, store);
  }
  if (options.json)
    text_output::print_out("{}\n", tuning.session_count() == 1 ? reports : "[\n" + reports + "\n]");
  if (interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  if (nothing_measured) throw base::WorkError(*nothing_measured);
  return 0;
}

int run_tune(const std::vector<std::string>& arguments) {
  const std::optional<TuneOptions> options = parse_tune(arguments);
  return options ? tune(*options) : 0;
}

}  // namespace

Command tune_command() {
  return {"tune", "find the fastest correct configuration of a kernel and store every measurement", run_tune,
          [] { return declare_tune().description(); }};
}

}  // namespace warptune::tuner::commands
