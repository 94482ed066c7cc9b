#include "tuner/cli/tune_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/library.h"
#include "profiling/metrics.h"
#include "tuner/cli/option_groups.h"
#include "tuner/known_gpus.h"
#include "tuner/replay_evaluator.h"
#include "tuner/shipped_recordings.h"

namespace warptune::tuner::cli {

namespace fs = std::filesystem;

namespace {

constexpr int kFinalRounds = 15;

Goal goal_of(const Options& options) {
  const std::optional<std::string> text = options.text("until");
  if (!text) return {};
  Goal goal = Goal::parse(*text);
  const std::string objective = *options.text("objective");
  if (goal.roof_share && !search::Objective::parse(objective).is_time()) {
    throw base::InputError(
        fmt::format("--until {} is a share of the time, but --objective is {}", *text, objective));
  }
  return goal;
}

std::unique_ptr<SessionPlan> make_plan(const Options& options, search::Subject subject, search::Space space,
                                       search::NamedValues default_configuration, search::Work work,
                                       bool replayed) {
  auto plan = std::make_unique<SessionPlan>(
      SessionPlan{std::move(subject), std::move(space), std::move(default_configuration), work,
                  Budget::parse(*options.text("budget")), *options.text("strategy"),
                  options.number("seed").value_or(1), options.is_set("fresh"), replayed,
                  replayed ? 0 : kFinalRounds, search::Objective::parse(*options.text("objective")),
                  goal_of(options), !options.is_set("no-transfer")});
  if (plan->goal.roof_share && !(plan->work.flops > 0.0) && !(plan->work.bytes > 0.0)) {
    throw base::InputError(fmt::format("--until {}: {} has no [work] that a roof could be of",
                                       plan->goal.text, plan->subject.kernel));
  }
  return plan;
}

Stage replay_stage(const Options& options, const kernel_templates::KernelDefinition& definition,
                   const fs::path& file) {
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
  if (options.has("cache") && read_cache_state(options) != recording.subject.cache) {
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
                const search::GpuDescription& gpu, const std::vector<int>& ordinals) {
  Stage stage;
  stage.ordinals = ordinals;
  stage.instance =
      std::make_unique<kernel_templates::KernelInstance>(definition, options.assignments("size"), gpu);
  const search::Subject subject{definition.name, definition.hash, stage.instance->problem(), gpu,
                                read_cache_state(options)};
  stage.plan = make_plan(options, subject, stage.instance->space(), stage.instance->default_configuration(),
                         stage.instance->work(), false);
  ProcessEvaluatorOptions evaluator;
  evaluator.compile_workers = options.number("jobs").value_or(0);
  evaluator.ordinals = ordinals;
  evaluator.seed = stage.plan->seed;
  evaluator.cache = subject.cache;
  evaluator.compile_cache = read_compile_cache(options);
  evaluator.thorough = options.is_set("thorough");
  evaluator.roofs = stored_roofs(read_database(options), gpu);
  choose_metrics(*options.text("metrics"), stage.plan->objective, evaluator);
  stage.evaluator = std::make_unique<ProcessEvaluator>(*stage.instance, evaluator);
  return stage;
}

std::vector<std::string> listed(const std::string& option, const std::string& text) {
  std::vector<std::string> items;
  for (const std::string& item : base::split(text, ',')) {
    items.emplace_back(base::trim(item));
    if (items.back().empty()) throw base::InputError(fmt::format("--{} {}: an item is empty", option, text));
  }
  return items;
}

// A hardware metric that a chip lacks is a warning of the GPU worker; what can be no metric is a slip.
void require_metric_name(const std::string& name, const std::string& text) {
  const std::span<const profiling::MetricInfo> catalogue = profiling::metric_catalogue();
  const bool known = name == "energy_j" || name == "power_w" ||
                     std::any_of(catalogue.begin(), catalogue.end(),
                                 [&](const profiling::MetricInfo& metric) { return metric.name == name; });
  if (known || name.find('.') != std::string::npos) return;
  throw base::InputError(fmt::format(
      "--metrics {}: expected core, none, full or names such as dram__bytes.sum, found '{}'{}", text, name,
      base::did_you_mean(name, std::vector<std::string>{"core", "none", "full", "energy_j", "power_w"})));
}

// Numbers as they stand; empty for `all`.
std::vector<int> device_numbers(const std::string& text) {
  std::vector<int> numbers;
  if (text == "all") return numbers;
  for (const std::string& item : listed("device", text)) {
    const std::optional<search::Value> value = search::parse_value(item, search::ValueType::kInteger);
    constexpr std::int64_t kMost = 1 << 20;
    if (!value || std::get<std::int64_t>(*value) < 0 || std::get<std::int64_t>(*value) > kMost)
      throw base::InputError(
          fmt::format("--device {}: expected an integer, 0 or more, a list of them, or all", text));
    const int number = static_cast<int>(std::get<std::int64_t>(*value));
    if (std::find(numbers.begin(), numbers.end(), number) != numbers.end())
      throw base::InputError(fmt::format("--device {}: {} comes twice", text, number));
    numbers.push_back(number);
  }
  return numbers;
}

// Where there is no GPU: a shipped recording.
Stage stage_without_gpu(const Options& options, const kernel_templates::KernelDefinition& definition,
                        const std::string& reason) {
  // A definition or size that is wrong is said even where no GPU could run it.
  const kernel_templates::KernelInstance checked(definition, options.assignments("size"),
                                                 search::fictional_gpu());
  const std::vector<fs::path> recordings = shipped_recordings(definition.name);
  if (recordings.empty()) {
    throw base::MachineError(
        fmt::format("no GPU: {}", reason),
        fmt::format("run this where there is one; '{}' has no shipped recording to replay instead",
                    definition.name));
  }
  fmt::print(stderr, "no GPU ({}): replaying the recording {} instead\n", reason,
             recordings.front().filename().string());
  return replay_stage(options, definition, recordings.front());
}

}  // namespace

void check_tune_choices(const Options& options) {
  Budget::parse(*options.text("budget"));
  goal_of(options);
  for (const char* number : {"jobs", "seed"}) options.number(number);
  options.assignments("size");
  read_cache_state(options);
  device_numbers(*options.text("device"));
  ProcessEvaluatorOptions ignored;
  choose_metrics(*options.text("metrics"), search::Objective::parse(*options.text("objective")), ignored);
  if (options.text("compile-cache") == "")
    throw base::InputError("--compile-cache is empty: expected a folder, or none");
}

std::vector<int> chosen_devices(const std::string& text, std::size_t count) {
  std::vector<int> chosen = device_numbers(text);
  if (text == "all") {
    for (std::size_t i = 0; i < count; ++i) chosen.push_back(static_cast<int>(i));
  }
  for (const int ordinal : chosen) {
    if (static_cast<std::size_t>(ordinal) < count) continue;
    throw base::MachineError(fmt::format("there is no GPU {}: this machine has {}", ordinal, count),
                             "see warptune devices");
  }
  return chosen;
}

std::vector<std::vector<int>> devices_by_model(const std::vector<search::GpuDescription>& gpus,
                                               const std::vector<int>& chosen) {
  std::vector<std::vector<int>> models;
  for (const int ordinal : chosen) {
    const std::string key = gpus.at(static_cast<std::size_t>(ordinal)).key();
    const auto same = std::find_if(models.begin(), models.end(), [&](const std::vector<int>& model) {
      return gpus.at(static_cast<std::size_t>(model.front())).key() == key;
    });
    if (same == models.end()) {
      models.push_back({ordinal});
    } else {
      same->push_back(ordinal);
    }
  }
  return models;
}

void choose_metrics(const std::string& text, const search::Objective& objective,
                    ProcessEvaluatorOptions& evaluator) {
  const std::vector<std::string> needed = objective.counters();
  evaluator.count = text != "none";
  evaluator.measure_energy = objective.needs_energy();
  evaluator.metrics.clear();
  if (text == "none") {
    if (needed.empty()) return;
    throw base::InputError(
        fmt::format("--metrics none: --objective {} needs {}", objective.text(), needed.front()));
  }
  const auto add = [&](const std::string& name) {
    if (std::find(evaluator.metrics.begin(), evaluator.metrics.end(), name) == evaluator.metrics.end())
      evaluator.metrics.push_back(name);
  };
  const std::vector<std::string> core = profiling::core_metrics();
  if (text == "full") {
    evaluator.metrics = profiling::full_metrics();
  } else if (text != "core") {
    for (const std::string& name : listed("metrics", text)) {
      require_metric_name(name, text);
      const bool energy = name == "energy_j" || name == "power_w";
      evaluator.measure_energy = evaluator.measure_energy || energy;
      if (!energy) add(name);
    }
  }
  const bool in_core = std::all_of(needed.begin(), needed.end(), [&](const std::string& name) {
    return std::find(core.begin(), core.end(), name) != core.end();
  });
  if (text == "core" && in_core) return;  // The evaluator's own set.
  if (text == "core") evaluator.metrics = core;
  for (const std::string& name : needed) add(name);
}

std::vector<std::function<Stage()>> tune_stages(const Options& options) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.required("KERNEL"));
  if (const std::optional<std::string> file = options.text("replay"))
    return {[&options, definition, file] { return replay_stage(options, definition, *file); }};
  const profiling::GpuCensus census = find_gpus_in_worker();
  if (census.gpus.empty()) {
    return {[&options, definition, reason = census.reason] {
      return stage_without_gpu(options, definition, reason);
    }};
  }
  std::vector<std::function<Stage()>> stages;
  const std::vector<int> chosen = chosen_devices(*options.text("device"), census.gpus.size());
  for (const std::vector<int>& model : devices_by_model(census.gpus, chosen)) {
    stages.emplace_back(
        [&options, definition, model, gpu = census.gpus[static_cast<std::size_t>(model.front())]] {
          return gpu_stage(options, definition, gpu, model);
        });
  }
  return stages;
}

}  // namespace warptune::tuner::cli
