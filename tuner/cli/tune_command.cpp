#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "tuner/cli/command.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/cli/tune_report.h"
#include "tuner/cli/tune_stage.h"
#include "tuner/interrupt.h"
#include "tuner/progress_display.h"

namespace warptune::tuner::cli {

namespace {

Options tune_options() {
  Options options(
      "tune KERNEL",
      "Finds the fastest correct configuration of KERNEL (a shipped name, or a path to a .cu or .toml).");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("budget", "60s|200|all", "how long: a time, a number of evaluations, or the whole space", "60s")
      .value("until", "0.9roof|0.3%",
             "end before the budget: once the best takes at most the roof's time over 0.9, or the strategy's "
             "model expects 60 s more (of a counted budget, 50 evaluations) to gain at most 0.3 %")
      .value("strategy", "NAME", "search strategy; see warptune strategies", "auto")
      .value("objective", "EXPR[,EXPR]",
             "what to minimise: time, energy, power, a metric, registers, or an expression of them", "time")
      .value("cache", "cold|warm", "what the L2 cache holds before each timed launch", "cold")
      .value("device", "N|all|N,N...", "which GPUs; those of one model share a session", "0")
      .value("metrics", "core|none|full|NAME,...", "hardware counters of every configuration", "core")
      .value("jobs", "N", "compile workers; default one a core")
      .value("compile-cache", "DIR|none",
             "folder of compiled code; default $XDG_CACHE_HOME/warptune/compiled")
      .value("seed", "N", "seed of the strategy and of the data", "1")
      .flag("fresh", "measure again what the database holds")
      .flag("no-transfer", "begin without what is known of other sizes and GPUs")
      .flag("thorough", "time every configuration to the end, none is dropped")
      .value("replay", "FILE", "answer from a recording instead of a GPU")
      .value("record", "FILE", "write all measurements of this kernel, problem and GPU as a recording");
  declare_database(options).common();
  return options;
}

void write_recording_of(const std::filesystem::path& file, const Stage& stage, const db::Store& store) {
  search::Recording recording;
  recording.subject = stage.plan->subject;
  recording.parameters = stage.plan->space.parameters();
  recording.constraints = stage.plan->space.constraints();
  recording.constants = stage.instance ? stage.instance->constants() : stage.recording->constants;
  recording.default_configuration = stage.plan->default_configuration;
  recording.work = stage.plan->work;
  recording.roofs = stage.evaluator->roofs();
  recording.environment = stage.evaluator->environment();
  for (db::StoredMeasurement& row : store.measurements(stage.plan->subject))
    recording.measurements.push_back(std::move(row.measurement));
  db::write_recording(file, recording);
  fmt::print(stderr, "{} measurements recorded in {}\n", recording.measurements.size(), file.string());
}

SessionResult run_stage(const Options& options, const Stage& stage, db::Store& store) {
  const InterruptGuard guard;
  ProgressDisplay display(stderr, ::isatty(STDERR_FILENO) != 0, options.text("log-level") == "off");
  return run_session(*stage.plan, *stage.evaluator, store, display, InterruptGuard::flag());
}

}  // namespace

int run_tune(const std::vector<std::string>& arguments) {
  Options options = tune_options();
  if (!options.parse(arguments)) return 0;
  check_tune_choices(options);
  const std::filesystem::path database = read_database(options);
  // One that cannot be read is told before a GPU is set up; a new one is made only where a session can begin.
  if (std::filesystem::exists(database)) db::Store::open_existing(database);
  const std::vector<std::function<Stage()>> stages = tune_stages(options);
  const std::optional<std::string> record = options.text("record");
  if (record && stages.size() > 1)
    throw base::InputError("--record takes the GPUs of one model; name them with --device");
  // One session is an object, those of several models are an array of them.
  std::string reports;
  std::optional<base::WorkError> nothing_measured;
  bool interrupted = false;
  for (const std::function<Stage()>& make : stages) {
    const Stage stage = make();
    db::Store store(database);
    const SessionResult result = run_stage(options, stage, store);
    if (record) write_recording_of(*record, stage, store);
    const std::string between = &make == &stages.front() ? "" : options.json() ? ",\n" : "\n";
    reports += between + (options.json() ? tune_json(stage, result, store)
                                         : tune_text(stage, result, store, options.required("KERNEL")));
    if (!options.json()) fmt::print("{}", std::exchange(reports, ""));
    interrupted = result.interrupted;
    if (interrupted) break;
    if (!result.best) nothing_measured = nothing_measured_in(stage, result, store);
  }
  if (options.json()) fmt::print("{}\n", stages.size() == 1 ? reports : "[\n" + reports + "\n]");
  if (interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  if (nothing_measured) throw base::WorkError(*nothing_measured);
  return 0;
}

}  // namespace warptune::tuner::cli
