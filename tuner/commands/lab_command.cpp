#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "kernel_templates/experiment.h"
#include "kernel_templates/read_scope.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/json_output/error_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/lab_json.h"
#include "tuner/lab/lab_names.h"
#include "tuner/lab/lab_page.h"
#include "tuner/lab/lab_report.h"
#include "tuner/lab/lab_session.h"
#include "tuner/lab/lab_tables.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

namespace fs = std::filesystem;
using kernel_templates::Experiment;

struct JudgedExperiment {
  lab::LabResult result;
  lab::LabJudgement judgement;
};
using Pairs = std::vector<std::pair<const lab::LabResult*, const lab::LabJudgement*>>;

Options declare_lab() {
  Options options("lab [NAME|FILE...]",
                  "Tests on this GPU what textbooks claim about CUDA performance. Each experiment shows its "
                  "measurements and a verdict on each claim. Without NAME, lists the experiments.");
  options.positional("NAME", 0, -1)
      .known_words(kernel_templates::shipped_experiments)
      .flag("all", "run all shipped experiments")
      .flag("replay", "show a recorded run; needs no GPU")
      .value("recordings", "DIR", "folder that --replay reads; default: the shipped recordings")
      .value("record", "DIR", "write the measurements to the folder DIR, for --replay --recordings DIR")
      .value("pages", "DIR",
             "also write NAME.md and its pictures to the folder DIR; with --all, also write README.md")
      .flag("check", "only compile what would be measured, and check the names of numbers");
  declare_measuring(options);
  declare_database(options);
  declare_permissions(options).common();
  options.example("lab", "Lists the experiments.")
      .example("lab stride --replay", "Shows the recorded run of one experiment; no GPU is needed.")
      .related({"profile", "metrics"});
  return options;
}

/// The arguments of `warptune lab`, parsed and checked.
struct LabOptions {
  std::vector<std::string> names;  ///< Names or paths of experiments; all shipped ones for `--all`.
  kernel_templates::Permissions permissions;
  bool all = false;
  bool replay = false;
  bool check = false;
  bool json = false;
  std::optional<fs::path> recordings;
  std::optional<fs::path> record;
  std::optional<fs::path> pages;
  session::MeasurementRequest measurement;
};

std::optional<LabOptions> parse_lab(const std::vector<std::string>& arguments) {
  Options options = declare_lab();
  if (!options.parse(arguments)) return std::nullopt;
  LabOptions lab;
  lab.measurement = read_measurement(options);
  lab.names = options.texts("NAME");
  lab.permissions = read_permissions(options);
  lab.all = options.is_set("all");
  lab.replay = options.is_set("replay");
  lab.check = options.is_set("check");
  lab.json = options.json();
  if (options.has("recordings") && !lab.replay)
    throw base::InputError("--recordings is valid only with --replay");
  lab.recordings = options.folder("recordings");
  if (options.has("record") && lab.replay)
    throw base::InputError("--record needs measurements, but --replay measures nothing");
  if (lab.all && !lab.names.empty()) throw base::InputError("--all cannot be combined with names");
  for (const char* name : {"check", "replay", "record", "pages", "device"})
    if (lab.names.empty() && !lab.all && options.has(name))
      throw base::InputError(fmt::format("--{} needs the name of an experiment, or --all", name));
  if (lab.check && (lab.replay || options.has("record") || options.has("pages")))
    throw base::InputError("--check only compiles, so --replay, --record and --pages mean nothing");
  lab.record = options.folder("record");
  lab.pages = options.folder("pages");
  if (lab.all) lab.names = kernel_templates::shipped_experiments();
  return lab;
}

std::vector<Experiment> chosen_experiments(const LabOptions& options) {
  std::vector<Experiment> experiments;
  for (const std::string& name : options.names)
    experiments.push_back(
        kernel_templates::load_experiment(kernel_templates::find_experiment(name), options.permissions));
  return experiments;
}

int list_experiments(bool json) {
  text_output::TextTable table({"experiment", "claims", "rows", "what it tests"}, {1, 2});
  nlohmann::ordered_json report = json_output::json_head("lab-list");
  report["experiments"] = nlohmann::ordered_json::array();
  for (const std::string& name : kernel_templates::shipped_experiments()) {
    const Experiment experiment = kernel_templates::load_experiment(kernel_templates::find_experiment(name));
    std::size_t rows = 0;
    for (const auto& one : experiment.tables) rows += one.rows.size();
    table.add({name, std::to_string(experiment.claims.size()), std::to_string(rows), experiment.summary});
    report["experiments"].push_back({{"experiment", name},
                                     {"title", experiment.title},
                                     {"summary", experiment.summary},
                                     {"claim_count", experiment.claims.size()},
                                     {"row_count", rows},
                                     {"path", experiment.path.string()}});
  }
  if (table.empty())
    throw base::InputError(
        "shipped experiments were not found; set WARPTUNE_SHARE to the folder that holds lab/");
  if (json) {
    text_output::print_out("{}\n", json_output::to_text(report));
  } else {
    text_output::print_text(
        "{}\n`warptune lab NAME` or `--all` runs them; `--replay` shows the run recorded on an H200.\n",
        table.text());
  }
  return 0;
}

int check_experiments(const std::vector<Experiment>& experiments, bool json) {
  int code = 0;
  nlohmann::ordered_json report = json_output::json_head("lab-check");
  for (const Experiment& experiment : experiments) {
    const lab::LabPlan plan = lab::plan_experiment(experiment, model::fictional_gpu());
    std::vector<std::string> problems = lab::compile_problems(plan);
    const std::size_t failed = problems.size();
    for (const auto& one : lab::name_problems(plan, lab::missing_counters(plan))) problems.push_back(one);
    std::size_t configurations = 0;
    for (const lab::LabSession& session : plan.sessions) configurations += session.configurations.size();
    if (!problems.empty()) code = static_cast<int>(base::ExitCode::kWorkFailed);
    report["experiments"].push_back({{"experiment", experiment.name},
                                     {"architecture", plan.gpu.architecture()},
                                     {"program_count", configurations},
                                     {"problems", problems}});
    if (json) continue;
    for (const std::string& problem : problems) text_output::print_text("{}: {}\n", experiment.name, problem);
    text_output::print_text("{}: {} of {} programs for {} do not compile\n", experiment.name, failed,
                            configurations, plan.gpu.architecture());
  }
  if (json) text_output::print_out("{}\n", json_output::to_text(report));
  return code;
}

// The number of the GPU that `--device` names, otherwise that of the first one.
int chosen_gpu(gpus::LocalGpus& gpus, std::optional<int> device) {
  const profiling::GpuList& list = gpus.list();
  if (list.gpus.empty())
    throw base::MachineError("no GPU: " + list.reason, "`--replay` shows a recorded run without one");
  return gpus::DeviceChoice{false, {device.value_or(0)}}.resolve(list.gpus.size()).front();
}

void write_files(const std::vector<lab::LabFile>& files, const fs::path& folder) {
  for (const auto& [name, text] : files) base::write_file_atomically(folder / name, text);
}

class LabRun {
 public:
  LabRun(const LabOptions& options, const base::Cancellation& cancellation)
      : options_(options), cancellation_(cancellation) {
    if (!options.replay) ordinal_ = chosen_gpu(gpus_, options.measurement.device);
  }

  /// Returns false when it was interrupted.
  bool add(const Experiment& experiment) {
    std::optional<lab::LabResult> result =
        options_.replay ? lab::read_lab_result(experiment, recordings())
                        : lab::measure_experiment(experiment, options_.measurement, ordinal_, gpus_, display_,
                                                  cancellation_);
    if (!result) return false;
    if (options_.record) lab::write_lab_result(*result, *options_.record);
    auto judged = std::make_unique<JudgedExperiment>();
    judged->result = std::move(*result);
    judged->judgement = lab::judge(judged->result);
    if (options_.pages) write_files(lab::lab_page(judged->result, judged->judgement), *options_.pages);
    if (!options_.json)
      text_output::print_text(
          "{}\n", lab::lab_text(judged->result, judged->judgement, text_output::terminal_width(stdout)));
    std::fflush(stdout);
    judged_.push_back(std::move(judged));
    return true;
  }

  /// Says which experiments have no recorded run, and removes them, unless none has one.
  void leave_out_unrecorded(std::vector<Experiment>& experiments) {
    const auto is_recorded = [this](const Experiment& one) { return lab::is_recorded(one, recordings()); };
    if (std::none_of(experiments.begin(), experiments.end(), is_recorded)) return;
    for (const Experiment& experiment : experiments) {
      if (is_recorded(experiment)) continue;
      text_output::print_error("{}: there is no recorded run; `warptune lab {}` measures it on a GPU\n",
                               experiment.name, experiment.name);
      unrecorded_.push_back(experiment.name);
    }
    std::erase_if(experiments, [&](const Experiment& one) { return !is_recorded(one); });
  }

  /// Keeps the error of an experiment that could not be shown.
  void add(const Experiment& experiment, const base::Error& error) {
    text_output::print_error("warptune: {}: {}\n", experiment.name, error.what());
    errors_.push_back({{"experiment", experiment.name}, {"error", json_output::error_object(error)}});
  }

  void finish() const {
    Pairs pairs;
    for (const auto& judged : judged_) pairs.emplace_back(&judged->result, &judged->judgement);
    if (options_.pages && options_.all) write_files({lab::lab_index(pairs, unrecorded_)}, *options_.pages);
    if (options_.json) {
      text_output::print_out("{}\n", json_output::to_text(json_output::lab_json(pairs, errors_)));
    } else if (judged_.size() > 1) {
      print_summary();
    }
  }

 private:
  fs::path recordings() const {
    return options_.recordings ? *options_.recordings : lab::shipped_lab_recordings();
  }

  void print_summary() const {
    text_output::TextTable table({"experiment", "claims", "counters as theory says"});
    for (const auto& judged : judged_) {
      const lab::LabJudgement& judgement = judged->judgement;
      table.add({judged->result.plan.experiment.name, lab::verdicts_text(judgement),
                 judgement.theory.empty()
                     ? "-"
                     : fmt::format("{} of {}", judgement.theory_within(), judgement.theory.size())});
    }
    text_output::print_text("{}", table.text());
  }

  const LabOptions& options_;
  const base::Cancellation& cancellation_;
  text_output::ProgressDisplay display_{stderr, false, false};
  gpus::LocalGpus gpus_;
  int ordinal_ = 0;
  std::vector<std::string> unrecorded_;  ///< The names of experiments that cannot be replayed.
  std::vector<std::unique_ptr<JudgedExperiment>> judged_;
  nlohmann::ordered_json errors_ = nlohmann::ordered_json::array();
};

int lab(const LabOptions& options) {
  std::vector<Experiment> experiments = chosen_experiments(options);
  if (experiments.empty()) return list_experiments(options.json);
  if (options.check) return check_experiments(experiments, options.json);
  const base::InterruptGuard guard;
  LabRun run(options, guard.cancellation());
  if (options.all && options.replay) run.leave_out_unrecorded(experiments);
  bool complete = true;
  int code = 0;
  for (std::size_t i = 0; i < experiments.size() && complete; ++i) {
    try {
      complete = run.add(experiments[i]);
    } catch (const base::Error& error) {
      if (experiments.size() == 1) throw;
      run.add(experiments[i], error);
      code = static_cast<int>(error.exit_code());  // Other experiments may still run.
    }
  }
  run.finish();
  if (complete) return code;
  text_output::print_error("interrupted; what was measured is in the database\n");
  return static_cast<int>(base::ExitCode::kInterrupted);
}

int run_lab(const std::vector<std::string>& arguments) {
  const std::optional<LabOptions> options = parse_lab(arguments);
  return options ? lab(*options) : 0;
}

}  // namespace

Command lab_command() {
  return {"lab", "test on this GPU what textbooks claim about CUDA performance", run_lab,
          [] { return declare_lab().description(); }};
}

}  // namespace warptune::tuner::commands
