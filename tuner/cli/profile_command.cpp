#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <utility>

#include "base/error.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "profiling/metrics.h"
#include "search/analysis/parameter_effects.h"
#include "tuner/cli/command.h"
#include "tuner/cli/named_measuring.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/cli/profile_report.h"
#include "tuner/diagnosis_report.h"
#include "tuner/hot_lines.h"
#include "tuner/interrupt.h"
#include "tuner/known_rows.h"
#include "tuner/named_configuration.h"
#include "tuner/shipped_recordings.h"
#include "tuner/terminal.h"
#include "tuner/workload.h"

namespace warptune::tuner::cli {

namespace {

using kernel_templates::KernelInstance;
using search::Measurement;
using search::NamedValues;

Options profile_options() {
  Options options(
      "profile KERNEL",
      "Shows what the hardware counters say of one configuration of KERNEL (a shipped name, a path to a "
      ".cu or .toml, or a recording), and what is wrong with it.");
  options.positional("KERNEL", 1, 1)
      .values("set", "NAME=VALUE",
              "a parameter of the configuration; may be repeated. Others as in the best known")
      .flag("default", "begin from the definition's default instead of the best known")
      .flag("stored", "show what is stored; measure nothing");
  declare_workload(options);
  measuring_options(options)
      .flag("source", "the lines where warps were found most, and waiting for what, by sampling on the GPU")
      .flag("raw", "every counter by its name, too")
      .common();
  return options;
}

// The subject, with what is known of it: nothing where there is no database yet.
KnownRows find_subject(const Options& options, const std::string& kernel) {
  if (names_recording(kernel))
    return require_known_rows({read_workload(options), kernel}, list_local_gpus);
  if (options.has("gpu") || std::filesystem::exists(read_database(options)))
    return load_known_rows({read_workload(options), kernel}, list_local_gpus);
  const profiling::GpuList census = list_local_gpus();
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
  if (census.gpus.empty() && options.has("db"))
    return load_known_rows({read_workload(options), kernel}, list_local_gpus);  // Says what is wrong.
  if (census.gpus.empty()) {
    const std::vector<std::filesystem::path> recordings = shipped_recordings(definition.name);
    // A definition or size that is wrong is said even where no GPU could run it.
    const KernelInstance checked(definition, options.assignments("size"), search::fictional_gpu());
    if (recordings.empty())
      throw base::MachineError(fmt::format("no GPU: {}", census.reason), "run this where there is one");
    fmt::print(stderr, "no GPU ({}): showing the recording {} instead\n", census.reason,
               recordings.front().filename().string());
    return load_known_rows({read_workload(options), recordings.front().string()}, list_local_gpus);
  }
  const std::size_t ordinal = options.number("device").value_or(0);
  KnownRows known;
  known.instance =
      std::make_unique<KernelInstance>(std::move(definition), options.assignments("size"),
                                       census.gpus.at(std::min(ordinal, census.gpus.size() - 1)));
  describe_subject(known.recording, *known.instance, read_cache_state(options));
  known.origin = "this machine's GPU";
  return known;
}

struct Choice {
  NamedValues configuration;
  std::string which;
};

Choice choose_configuration(const Options& options, const KnownRows& known) {
  const search::Recording& recording = known.recording;
  Choice choice{recording.default_configuration, "the default"};
  if (!options.is_set("default") && !known.best.empty())
    choice = {known.best, fmt::format("the best of {} known", recording.measurements.size())};
  const NamedValues changes = options.assignments("set");
  if (choice.configuration.empty() && changes.empty()) {
    throw base::InputError(fmt::format(
        "{} has no default{}: name a configuration with --set NAME=VALUE ...{}", recording.subject.kernel,
        known.best.empty() ? " and nothing was measured to the end" : "",
        known.best.empty() ? "" : ", or leave --default out"));
  }
  if (changes.empty()) return choice;
  if (!choice.configuration.empty()) choice.which += fmt::format(" with {}", search::to_text(changes));
  if (choice.configuration.empty()) choice.which = "as given";
  choice.configuration = with_changes(std::move(choice.configuration), changes);
  require_valid(known.instance ? known.instance->space() : recording.space(), choice.configuration, "set");
  return choice;
}

profiling::ProfiledLaunch launch_of(const KnownRows& known, Measurement measurement) {
  profiling::ProfiledLaunch launch;
  launch.gpu = known.recording.subject.gpu;
  launch.work = known.recording.work;
  launch.roofs = known.recording.roofs;
  if (known.instance) {
    const auto plan = known.instance->launch_plan(measurement.configuration);
    if (plan && plan->main_launch() != nullptr) launch.launch = *plan->main_launch();
  }
  launch.measurement = std::move(measurement);
  return launch;
}

[[noreturn]] void fail_of(const Measurement& row) {
  throw base::WorkError(fmt::format("{}: {}: {}", search::to_text(row.configuration),
                                    search::to_string(row.status), row.reason));
}

// `is_final`: a recording, which nothing can be added to.
ShownProfile stored_profile(const KnownRows& known, const Choice& choice, bool is_final) {
  const search::Subject& subject = known.recording.subject;
  const Measurement* row = search::RecordingIndex(known.recording).find(choice.configuration);
  if (row == nullptr && is_final) {
    throw base::WorkError(fmt::format("{} holds no {}", known.origin, search::to_text(choice.configuration)));
  }
  if (row == nullptr) {
    throw base::WorkError(fmt::format(
        "{} holds no {} of {} {} from a {} L2 cache; without --stored, profile measures it where there is an "
        "{}",
        known.origin, search::to_text(choice.configuration), subject.kernel, search::to_text(subject.problem),
        search::to_string(subject.cache), subject.gpu.name));
  }
  if (!search::analysis::has_time(*row)) fail_of(*row);
  ShownProfile profile;
  profile.subject = subject;
  profile.launch = launch_of(known, *row);
  profile.which = choice.which;
  profile.origin = fmt::format("counters as stored by {}", known.origin);
  return profile;
}

// The row that was just stored takes over what finals had decided of the one before.
void keep_preference(db::Store& store, const search::Subject& subject, const NamedValues& best,
                     const NamedValues& profiled) {
  const std::string key = search::key_of(profiled);
  if (search::key_of(best) != key) return;
  for (const db::StoredMeasurement& row : store.uncounted_measurements(subject)) {
    if (search::key_of(row.measurement.configuration) == key &&
        row.measurement.status == search::Status::kMeasured)
      store.set_preferred(row.id);
  }
}

// Nothing where an interrupt came first.
std::optional<ShownProfile> measured_profile(const Options& options, KnownRows& known, const Choice& choice,
                                             int ordinal) {
  MeasuringPlan plan;
  plan.instance = known.instance.get();
  plan.cache = known.recording.subject.cache;
  plan.strategy = "profile";
  plan.budget = Budget::parse("all");
  plan.metrics = profiling::full_metrics();
  plan.measure_energy = true;
  NamedMeasuring measuring(options, plan, ordinal);
  std::vector<Measurement> rows = measuring.rows().measure({choice.configuration});
  if (rows.empty()) return std::nullopt;
  if (rows.front().status != search::Status::kMeasured) fail_of(rows.front());
  keep_preference(measuring.store(), known.recording.subject, known.best, choice.configuration);
  known.recording.roofs = measuring.evaluator().roofs();
  const std::string key = search::key_of(choice.configuration);
  std::erase_if(known.recording.measurements,
                [&](const Measurement& row) { return search::key_of(row.configuration) == key; });
  known.recording.measurements.push_back(rows.front());
  ShownProfile profile;
  profile.subject = known.recording.subject;
  profile.launch = launch_of(known, std::move(rows.front()));
  profile.which = choice.which;
  const std::string& chip = known.recording.subject.gpu.chip;
  const bool counted = profile.launch.measurement.counters.contains("smsp__inst_executed.sum");
  profile.passes = counted ? profiling::plan_passes(chip, plan.metrics).passes : 0;
  profile.origin = counted ? "just measured" : "just measured, without counters";
  return profile;
}

profiling::HotLines hot_lines_of(const Options& options, const KnownRows& known,
                                 const NamedValues& configuration, std::optional<int> ordinal) {
  profiling::HotLines none;
  none.problem = "they are sampled on a GPU, and nothing is measured here";
  if (!ordinal) return none;
  return sample_hot_lines(*known.instance, configuration,
                          {*ordinal, options.number("seed").value_or(1), known.recording.subject.cache,
                           read_compile_cache(options)});
}

profiling::Diagnosis diagnosis_of(const KnownRows& known, const Measurement& measurement) {
  const search::analysis::TimedRows rows = search::analysis::timed_rows(known.recording);
  const search::analysis::ParameterEffects effects(rows);
  return profiling::diagnose(diagnosis_input(known.recording, measurement, &effects, known.instance.get()));
}

}  // namespace

int run_profile(const std::vector<std::string>& arguments) {
  Options options = profile_options();
  if (!options.parse(arguments)) return 0;
  check_measuring_options(options);
  for (const char* assignments : {"size", "set"}) options.assignments(assignments);
  read_cache_state(options);
  const std::string kernel = options.required("KERNEL");
  KnownRows known = find_subject(options, kernel);
  const Choice choice = choose_configuration(options, known);
  const InterruptGuard guard;
  std::optional<int> ordinal;
  const bool may_measure = !names_recording(kernel) && !options.is_set("stored") && known.instance != nullptr;
  if (may_measure) ordinal = measuring_device(options, known.recording.subject.gpu);
  if (may_measure && !ordinal && !known.recording.measurements.empty())
    fmt::print(stderr, "no {} here: showing what is stored\n", known.recording.subject.gpu.name);
  std::optional<ShownProfile> shown = ordinal ? measured_profile(options, known, choice, *ordinal)
                                              : stored_profile(known, choice, names_recording(kernel));
  if (!shown) {
    fmt::print(stderr, "interrupted before the configuration was measured\n");
    return static_cast<int>(base::ExitCode::kInterrupted);
  }
  ShownProfile& profile = *shown;
  profile.heading = heading_of(known.recording);
  profile.raw = options.is_set("raw");
  if (options.is_set("source"))
    profile.hot_lines = hot_lines_of(options, known, choice.configuration, ordinal);
  profile.diagnosis = diagnosis_of(known, profile.launch.measurement);
  if (options.json()) {
    std::cout << profile_json(profile) << "\n";
  } else {
    fmt::print("{}", profile_text(profile, terminal_width(stdout)));
  }
  return InterruptGuard::flag().load() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace warptune::tuner::cli
