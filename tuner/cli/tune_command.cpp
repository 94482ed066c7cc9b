#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/subjects.h"
#include "tuner/detail/json_forms.h"
#include "tuner/interrupt.h"
#include "tuner/process_evaluator.h"
#include "tuner/progress_display.h"
#include "tuner/replay_evaluator.h"
#include "tuner/report.h"
#include "tuner/tuning_session.h"
#include "tuner/version.h"

namespace warptune::tuner::cli {

namespace {

Options tune_options() {
  Options options(
      "tune KERNEL",
      "Finds the fastest correct configuration of KERNEL (a shipped name, or a path to a .cu or .toml).");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("budget", "60s|200|all", "how long: a time, a number of evaluations, or the whole space", "60s")
      .value("strategy", "NAME", "search strategy; see warptune strategies", "auto")
      .value("objective", "time", "what to minimise", "time")
      .value("cache", "cold|warm", "what the L2 cache holds before each timed launch", "cold")
      .value("device", "N", "which GPU", "0")
      .value("metrics", "core|none", "hardware counters of every configuration, or none", "core")
      .value("jobs", "N", "compile workers; default one a core")
      .value("seed", "N", "seed of the strategy and of the data", "1")
      .flag("fresh", "measure again what the database holds")
      .value("replay", "FILE", "answer from a recording instead of a GPU")
      .value("record", "FILE", "write all measurements of this kernel, problem and GPU as a recording")
      .database()
      .common();
  return options;
}

// What a session runs on: a GPU with an instance, or a recording.
struct Stage {
  std::unique_ptr<search::Recording> recording;
  std::unique_ptr<kernel_templates::KernelInstance> instance;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<SessionPlan> plan;
};

constexpr int kFinalRounds = 15;

std::unique_ptr<SessionPlan> make_plan(const Options& options, search::Subject subject, search::Space space,
                                       search::NamedValues default_configuration, search::Work work,
                                       bool replayed) {
  return std::make_unique<SessionPlan>(SessionPlan{
      std::move(subject), std::move(space), std::move(default_configuration), work,
      Budget::parse(*options.text("budget")), *options.text("strategy"), options.number("seed").value_or(1),
      options.is_set("fresh"), replayed, replayed ? 0 : kFinalRounds});
}

Stage replay_stage(const Options& options, const kernel_templates::KernelDefinition& definition,
                   const std::filesystem::path& file) {
  Stage stage;
  stage.recording = std::make_unique<search::Recording>(db::read_recording(file));
  const search::Recording& recording = *stage.recording;
  if (recording.subject.kernel != definition.name) {
    throw base::InputError(fmt::format("the recording {} is of {}, not of {}", file.string(),
                                       recording.subject.kernel, definition.name));
  }
  if (recording.subject.kernel_hash != definition.hash) {
    base::log_warning(
        fmt::format("{} was recorded with another version of {}'s source", file.string(), definition.name));
  }
  if (options.has("cache") && cache_state_of(options) != recording.subject.cache) {
    throw base::InputError(fmt::format("the recording {} is of a {} cache; a replay cannot change it",
                                       file.string(), search::to_string(recording.subject.cache)));
  }
  for (const auto& [name, value] : options.assignments("size")) {
    const search::Value* recorded = search::find(recording.subject.problem, name);
    if (recorded == nullptr || search::to_text(*recorded) != search::to_text(value)) {
      throw base::InputError(fmt::format("the recording {} is of {}; a replay cannot change sizes",
                                         file.string(), search::to_text(recording.subject.problem)));
    }
  }
  stage.plan = make_plan(options, recording.subject, recording.space(), recording.default_configuration,
                         recording.work, true);
  stage.evaluator = std::make_unique<ReplayEvaluator>(recording);
  return stage;
}

Stage gpu_stage(const Options& options, const kernel_templates::KernelDefinition& definition,
                const search::GpuDescription& gpu, int ordinal) {
  Stage stage;
  stage.instance =
      std::make_unique<kernel_templates::KernelInstance>(definition, options.assignments("size"), gpu);
  const search::Subject subject{definition.name, definition.hash, stage.instance->problem(), gpu,
                                cache_state_of(options)};
  stage.plan = make_plan(options, subject, stage.instance->space(), stage.instance->default_configuration(),
                         stage.instance->work(), false);
  ProcessEvaluatorOptions evaluator;
  evaluator.compile_workers = options.number("jobs").value_or(0);
  evaluator.ordinals = {ordinal};
  evaluator.cache = subject.cache;
  evaluator.seed = stage.plan->seed;
  evaluator.count = *options.text("metrics") == "core";
  stage.evaluator = std::make_unique<ProcessEvaluator>(*stage.instance, evaluator);
  return stage;
}

Stage make_stage(const Options& options) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.required("KERNEL"));
  if (const std::optional<std::string> file = options.text("replay"))
    return replay_stage(options, definition, *file);
  const profiling::GpuCensus census = find_gpus_in_worker();
  const std::uint64_t ordinal = options.number("device").value_or(0);
  if (ordinal < census.gpus.size()) {
    return gpu_stage(options, definition, census.gpus[ordinal], static_cast<int>(ordinal));
  }
  if (!census.gpus.empty()) {
    throw base::MachineError(
        fmt::format("there is no GPU {}: this machine has {}", ordinal, census.gpus.size()),
        "see warptune devices");
  }
  // A definition or size that is wrong is said even where no GPU could run it.
  const kernel_templates::KernelInstance checked(definition, options.assignments("size"),
                                                 search::fictional_gpu());
  const std::vector<std::filesystem::path> recordings = shipped_recordings(definition.name);
  if (recordings.empty()) {
    throw base::MachineError(
        fmt::format("no GPU: {}", census.reason),
        fmt::format("run this where there is one; '{}' has no shipped recording to replay instead",
                    definition.name));
  }
  fmt::print(stderr, "no GPU ({}): replaying the recording {} instead\n", census.reason,
             recordings.front().filename().string());
  return replay_stage(options, definition, recordings.front());
}

// What a slip of the keyboard can spoil, before anything is opened or started.
void check_choices(const Options& options) {
  Budget::parse(*options.text("budget"));
  for (const char* number : {"device", "jobs", "seed"}) options.number(number);
  cache_state_of(options);
  options.assignments("size");
  if (*options.text("objective") != "time") {
    throw base::InputError(fmt::format("--objective {}: expected time", *options.text("objective")));
  }
  const std::string metrics = *options.text("metrics");
  if (metrics != "core" && metrics != "none")
    throw base::InputError(fmt::format("--metrics {}: expected core or none", metrics));
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

std::string summary_of(const SessionResult& result) {
  const SessionProgress& progress = result.progress;
  std::string text =
      fmt::format("{} configurations evaluated in {:.1f} s", progress.evaluated, progress.elapsed_s);
  if (progress.known > 0) text += fmt::format(", {} known before", progress.known);
  text += fmt::format(", of {} in the space", progress.space_size);
  std::string parts;
  for (const auto& [status, count] : progress.by_status) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", count, search::to_string(status));
  }
  if (!parts.empty()) text += ": " + parts;
  if (result.exhausted) text += "; nothing of the space is left";
  return text + "\n";
}

std::string failure_table(const SessionResult& result) {
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  for (const auto& [reason, count] : result.reasons) reasons.emplace_back(count, reason);
  std::sort(reasons.rbegin(), reasons.rend());
  std::string text;
  constexpr std::size_t kMostShown = 5;
  for (std::size_t i = 0; i < std::min(reasons.size(), kMostShown); ++i) {
    text += fmt::format("  {} x {}\n", reasons[i].first, reasons[i].second);
  }
  if (reasons.size() > kMostShown)
    text += fmt::format("  and {} further reasons; see warptune show {}\n", reasons.size() - kMostShown,
                        result.session_id);
  return text;
}

// The whole text of the failure whose first line most configurations of a session share.
std::string commonest_failure(const db::Store& store, std::int64_t session_id) {
  struct Failure {
    std::string text;
    std::size_t count = 0;
  };
  std::map<std::string, Failure> failures;
  Failure commonest;
  for (const db::StoredMeasurement& row : store.session_measurements(session_id)) {
    const std::string& reason = row.measurement.reason;
    if (reason.empty() || row.measurement.status == search::Status::kDropped) continue;
    const std::string text = fmt::format("{}: {}", search::to_string(row.measurement.status), reason);
    Failure& failure = failures[text.substr(0, text.find('\n'))];
    if (failure.text.empty()) failure.text = text;
    ++failure.count;
    if (failure.count > commonest.count) commonest = failure;
  }
  return commonest.text;
}

[[noreturn]] void throw_nothing_measured(const SessionResult& result, const db::Store& store) {
  if (result.progress.evaluated == 0 && result.progress.known == 0)
    throw base::WorkError("nothing was evaluated within the budget");
  const std::string failure = commonest_failure(store, result.session_id);
  throw base::WorkError(
      fmt::format("no configuration could be measured; every failure is stored, see warptune show {}{}{}",
                  result.session_id, failure.empty() ? "" : "; the commonest is\n", failure));
}

// `kernel` is how the person called it: a name or a path.
void print_text(const Stage& stage, const SessionResult& result, const std::string& kernel) {
  const SessionPlan& plan = *stage.plan;
  fmt::print("{} {} on {}{}\n", plan.subject.kernel, search::to_text(plan.subject.problem),
             plan.subject.gpu.name, plan.replayed ? " (replayed)" : "");
  fmt::print("{}{}timed from a {} L2 cache\n", summary_of(result), failure_table(result),
             search::to_string(plan.subject.cache));
  if (!result.best) return;
  std::vector<ReportColumn> columns;
  const bool same = result.default_measurement && search::key_of(result.default_measurement->configuration) ==
                                                      search::key_of(result.best->configuration);
  if (result.default_measurement && !same) columns.push_back({"default", *result.default_measurement});
  columns.push_back({same ? "best (the default)" : "best", *result.best});
  fmt::print("\n{}", comparison_table(columns, plan.work, stage.evaluator->roofs()));
  for (const search::NamedValues& tied : result.tied)
    fmt::print("tied with the best: {}\n", search::to_text(tied));
  fmt::print("\nstored as session {}; ask with: warptune query {}\n", result.session_id, kernel);
}

void print_json(const Stage& stage, const SessionResult& result) {
  nlohmann::ordered_json report;
  const SessionPlan& plan = *stage.plan;
  report["session"] = result.session_id;
  report["kernel"] = plan.subject.kernel;
  report["kernel_hash"] = plan.subject.kernel_hash;
  report["problem"] = detail::to_ordered_json(plan.subject.problem);
  report["gpu"] = plan.subject.gpu.name;
  report["cache"] = search::to_string(plan.subject.cache);
  report["replayed"] = plan.replayed;
  report["evaluated"] = result.progress.evaluated;
  report["known_before"] = result.progress.known;
  report["space"] = result.progress.space_size;
  report["elapsed_s"] = result.progress.elapsed_s;
  report["interrupted"] = result.interrupted;
  for (const auto& [status, count] : result.progress.by_status)
    report["by_status"][std::string(search::to_string(status))] = count;
  if (result.default_measurement) report["default"] = detail::measurement_report(*result.default_measurement);
  if (result.best) report["best"] = detail::measurement_report(*result.best);
  const bool compared =
      result.default_measurement && result.default_measurement->status == search::Status::kMeasured;
  if (result.best && compared) {
    report["speed_up"] = result.default_measurement->time.median_ns / result.best->time.median_ns;
  }
  std::cout << detail::to_text(report) << "\n";
}

}  // namespace

int run_tune(const std::vector<std::string>& arguments) {
  Options options = tune_options();
  if (!options.parse(arguments)) return 0;
  check_choices(options);
  const std::filesystem::path database = database_path(options);
  // One that cannot be read is told before a GPU is set up; a new one is made only where a session can begin.
  if (std::filesystem::exists(database)) db::Store::open_existing(database);
  Stage stage = make_stage(options);
  db::Store store(database);
  SessionResult result;
  {
    const InterruptGuard guard;
    ProgressDisplay display(stderr, ::isatty(STDERR_FILENO) != 0, options.text("log-level") == "off");
    result = run_session(*stage.plan, *stage.evaluator, store, display, InterruptGuard::flag());
  }
  if (const std::optional<std::string> file = options.text("record")) write_recording_of(*file, stage, store);
  if (options.json()) {
    print_json(stage, result);
  } else {
    print_text(stage, result, options.required("KERNEL"));
  }
  if (result.interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  if (result.best) return 0;
  throw_nothing_measured(result, store);
}

}  // namespace warptune::tuner::cli
