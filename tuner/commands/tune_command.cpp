#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/winner_options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/progress_lines.h"
#include "tuner/json_output/tune_json.h"
#include "tuner/session/counter_choice.h"
#include "tuner/session/tuning.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/tune_report.h"
#include "tuner/watching/live_report.h"

namespace warptune::tuner::commands {

namespace {

// How a person follows the session.
void declare_progress(Options& options) {
  options
      .optional_value("watch", "PORT",
                      "serve the report's page to browsers on this machine while the session runs, on PORT "
                      "or a free one; its address is printed")
      .value("progress", "text|json",
             "how progress is shown on standard error: for people, or each event as a line of JSON", "text");
}

Options declare_tune() {
  Options options("tune KERNEL",
                  "Finds the fastest correct configuration of KERNEL. KERNEL is the name of a shipped "
                  "kernel, or the path "
                  "of a .cu or .toml file.");
  declare_kernel(options, 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem, e.g. N=4096; may be repeated")
      .value("budget", "60s|200|all",
             "when to stop: after a time, after a number of evaluations, or after the whole space", "60s")
      .value("until", "0.9roof|2%",
             "stop early. 0.9roof: when the best reaches 90 % of the roof. 2%: when the best is probably at "
             "most "
             "2 % slower than the fastest configuration, according to the strategy's model and to the last "
             "evaluations")
      .value("strategy", "NAME", "search strategy; warptune strategies lists them", "auto")
      .known_words(strategy_words)
      .value("objective", "EXPR[,EXPR]",
             "what to minimise: time, energy, power, a metric, registers, or an expression of these. With "
             "several, "
             "their product is minimised",
             "time")
      .known_words(objective_words);
  declare_measured_cache_state(options)
      .value("device", "N|all|N,N...", "which GPUs measure; GPUs of one model share a session", "0")
      .value("metrics", "core|none|full|NAME,...", "hardware counters to read", "core")
      .known_words(metric_words)
      .value("count", "contenders|all",
             "for which configurations to read them: contenders are those that are not dropped after their "
             "first launch, and one of eight others",
             "contenders")
      .value("jobs", "N", "number of compile workers; default: one for each CPU core")
      .value("compile-cache", "DIR|none",
             fmt::format("folder that keeps compiled code; default: {}", kUsualCompileCache))
      .value("seed", "N", "seed of the strategy and of the random input data", "1");
  declare_timeout(options);
  declare_reproducible(options)
      .flag("fresh", "measure again even what the database already holds")
      .flag("no-transfer", "do not start from what is known about other sizes and GPUs")
      .flag("thorough", "time every configuration completely; do not drop slow ones early")
      .value("replay", "FILE", "take measurements from a recording instead of a GPU")
      .value("pace", "X", "a replay takes X times the recorded time; 0: no time", "0")
      .flag("measure",
            "never replay. Without it and without a GPU, a shipped recording answers if it holds exactly "
            "what is asked for")
      .value("record", "FILE", "write all measurements of this kernel, problem and GPU to a recording");
  declare_progress(options);
  declare_database(options);
  declare_permissions(options).common();
  options
      .example("tune transpose --budget 60s",
               "Tunes a shipped kernel for a minute, at the size of its definition.")
      .example("tune sgemm --size M=4096 --size N=4096 --size K=4096 --until 0.9roof",
               "Ends as soon as the best reaches 90 % of what the GPU's roofs allow.")
      .example("tune softmax --reproducible",
               "Finds the fastest configuration that gives the same bits as the default in each launch.")
      .example("tune my_kernel.cu --objective time,energy", "Tunes a kernel of your own for time and energy.")
      .related({"query", "export", "explain", "report", "space"});
  return options;
}

/// The arguments of `warptune tune`, parsed and checked.
struct TuneOptions {
  session::TuningRequest request;
  std::optional<std::filesystem::path> record;
  bool watch = false;
  std::optional<std::uint16_t> watch_port;  ///< No value: any free port.
  bool json = false;
  bool progress_lines = false;  ///< Progress is shown as lines of JSON.
  bool quiet = false;
};

session::Goal read_goal(const Options& options) {
  const std::optional<std::string> text = options.text("until");
  return text ? session::Goal::parse(*text) : session::Goal();
}

// Validates the options before anything is opened or started.
TuneOptions read_tune(const Options& options) {
  TuneOptions tune;
  session::TuningRequest& request = tune.request;
  request.kernel = options.required("KERNEL");
  request.search.budget = session::Budget::parse(*options.text("budget"));
  request.search.strategy = *options.text("strategy");
  request.search.objective = model::Objective::parse(*options.text("objective"));
  request.search.goal = read_goal(options);
  request.search.reproducible = read_reproducible(options);
  request.search.fresh = options.is_set("fresh");
  request.search.transfer = !options.is_set("no-transfer");
  request.compile_workers = static_cast<std::size_t>(options.number("jobs").value_or(0));
  request.timeout = read_timeout(options);
  request.search.seed = request.measuring.seed = options.number("seed").value_or(1);
  request.sizes = read_sizes(options);
  request.permissions = read_permissions(options);
  request.measuring.cache = read_measured_cache_state(options);
  request.cache_is_named = options.has("cache");
  request.devices = gpus::DeviceChoice::parse(*options.text("device"));
  session::CounterChoice::parse(*options.text("metrics"), *options.text("count"))
      .apply(request.search.objective, request.measuring);
  check_compile_cache(options);
  request.measuring.compile_cache = read_compile_cache(options);
  request.measuring.thorough = options.is_set("thorough");
  request.database = read_written_database(options);
  if (const auto file = options.text("replay")) request.recording = *file;
  request.pace = read_pace(options);
  request.measure_only = options.is_set("measure");
  if (request.measure_only && request.recording)
    throw base::InputError("--measure forbids a replay, and --replay asks for one; give one of them");
  tune.record = options.output_path("record");
  tune.watch = options.is_set("watch");
  tune.watch_port = read_port(options, "watch");
  tune.json = options.json();
  tune.progress_lines = *options.choice<bool>("progress", {{"text", false}, {"json", true}});
  tune.quiet = options.text("log-level") == "off";
  return tune;
}

std::optional<TuneOptions> parse_tune(const std::vector<std::string>& arguments) {
  for (const std::string& one : arguments) {
    if (one == "--cover" || one == "--sizes")
      throw base::InputError(fmt::format(
          "{}: tune tunes one size; warptune cover finds few configurations for many sizes", one));
  }
  Options options = declare_tune();
  if (!options.parse(arguments)) return std::nullopt;
  return read_tune(options);
}

void write_recording_of(const std::filesystem::path& file, const session::TuningOutcome& outcome,
                        const db::Store& store) {
  const model::Recording recording = session::recording_of(outcome, store);
  db::write_recording(file, recording);
  text_output::print_error("{} recorded in {}\n", base::counted(recording.measurements.size(), "measurement"),
                           file.string());
}

// Passes events on to the progress display and, if there is one, to the live report.
class Listeners : public session::SessionListener {
 public:
  Listeners(session::SessionListener& display, watching::LiveReport* live) : display_(display), live_(live) {}

  void on_event(const session::SessionEvent& event) override {
    display_.on_event(event);
    if (live_ != nullptr) live_->on_event(event);
  }

 private:
  session::SessionListener& display_;
  watching::LiveReport* live_;
};

session::TuningOutcome run_session(session::Tuning& tuning, std::size_t index, const TuneOptions& options,
                                   watching::LiveReport* live, const base::Cancellation& cancellation) {
  const auto run = [&](session::SessionListener& display) {
    if (live != nullptr && index == 0) display.on_event(session::ReportServed{live->address()});
    Listeners listeners(display, live);
    return tuning.run(index, listeners, cancellation);
  };
  if (options.progress_lines) {
    json_output::ProgressLines lines(stderr);
    return run(lines);
  }
  text_output::ProgressDisplay display(stderr, ::isatty(STDERR_FILENO) != 0, options.quiet);
  return run(display);
}

int tune(const TuneOptions& options) {
  const session::TuningRequest& request = options.request;
  // A database that cannot be read is reported before a GPU is set up. A new one is made only when a session
  // begins.
  if (db::Store::exists(request.database)) db::Store::open_existing(request.database);
  session::Tuning tuning(request);
  if (options.record && tuning.session_count() > 1)
    throw base::InputError("--record needs GPUs of one model; choose them with --device");
  std::optional<watching::LiveReport> live;
  if (options.watch)
    live.emplace(watching::WatchedTuning{request.kernel, request.permissions, request.database},
                 options.watch_port);
  std::vector<nlohmann::ordered_json> reports;
  std::optional<base::WorkError> nothing_measured;
  std::size_t failed_cases = 0;
  bool interrupted = false;
  for (std::size_t i = 0; i < tuning.session_count() && !interrupted; ++i) {
    const base::InterruptGuard guard;
    const session::TuningOutcome outcome =
        run_session(tuning, i, options, live ? &*live : nullptr, guard.cancellation());
    const db::Store store = db::Store::open_existing(request.database);
    if (options.record) write_recording_of(*options.record, outcome, store);
    if (options.json) {
      reports.push_back(json_output::tuned_session_json(outcome, store));
    } else {
      text_output::print_text("{}{}", i == 0 ? "" : "\n",
                              text_output::tune_text(outcome, store, request.kernel));
    }
    if (options.json && outcome.plan.replayed) {
      text_output::print_error("{}", text_output::replayed_text(outcome));
    }
    interrupted = outcome.result.interrupted;
    failed_cases += outcome.failed_cases;
    if (!interrupted && !outcome.result.best)
      nothing_measured = text_output::nothing_measured_in(outcome, store);
  }
  if (live)
    live->end(interrupted ? watching::LiveReport::End::kInterrupted : watching::LiveReport::End::kFinished);
  if (interrupted) nothing_measured.reset();
  if (options.json)
    text_output::print_out("{}\n", json_output::to_text(json_output::tune_json(reports, nothing_measured)));
  if (interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  if (nothing_measured && options.json) {  // The error is already part of the JSON output.
    text_output::print_error("warptune: {}\n", nothing_measured->what());
    return static_cast<int>(nothing_measured->exit_code());
  }
  if (nothing_measured) throw base::WorkError(*nothing_measured);
  if (failed_cases > 0) throw session::failed_cases_error(failed_cases);
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
