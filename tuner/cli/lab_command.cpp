#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "kernel_templates/experiment.h"
#include "tuner/cli/command.h"
#include "tuner/cli/lab_measuring.h"
#include "tuner/cli/named_measuring.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/cli/tune_stage.h"
#include "tuner/detail/json_forms.h"
#include "tuner/interrupt.h"
#include "tuner/lab/lab_page.h"
#include "tuner/lab/lab_report.h"
#include "tuner/lab/lab_tables.h"
#include "tuner/process_evaluator.h"
#include "tuner/terminal.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

namespace fs = std::filesystem;
using kernel_templates::Experiment;

struct Judged {
  LabResult result;
  LabJudgement judgement;
};
using Pairs = std::vector<std::pair<const LabResult*, const LabJudgement*>>;

Options lab_options() {
  Options options("lab [NAME...]",
                  "Tests what textbooks claim about CUDA performance on this GPU: experiments with their "
                  "counters and verdicts. Without a name it lists them.");
  options.positional("NAME", 0, 1000)
      .flag("all", "all experiments that are shipped")
      .flag("replay", "show what was recorded; no GPU is needed")
      .value("recordings", "DIR", "where --replay reads; default the run on an H200 that is shipped")
      .value("record", "DIR", "keep what is measured, for --replay --recordings DIR")
      .value("pages", "DIR", "also write NAME.md and its pictures there, and for --all README.md")
      .flag("check", "only compile what the experiments would measure");
  measuring_options(options);
  declare_database(options).common();
  return options;
}

std::vector<Experiment> chosen_experiments(const Options& options) {
  std::vector<std::string> names = options.texts("NAME");
  if (options.is_set("all")) {
    if (!names.empty()) throw base::InputError("--all and names exclude each other");
    names = kernel_templates::shipped_experiments();
  }
  std::vector<Experiment> experiments;
  experiments.reserve(names.size());
  for (const std::string& name : names)
    experiments.push_back(kernel_templates::load_experiment(kernel_templates::find_experiment(name)));
  return experiments;
}

int list_experiments(const Options& options) {
  TextTable table({"experiment", "claims", "rows", "what it tests"}, {1, 2});
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  for (const std::string& name : kernel_templates::shipped_experiments()) {
    const Experiment experiment = kernel_templates::load_experiment(kernel_templates::find_experiment(name));
    std::size_t rows = 0;
    for (const auto& one : experiment.tables) rows += one.rows.size();
    table.add({name, std::to_string(experiment.claims.size()), std::to_string(rows), experiment.summary});
    report.push_back({{"experiment", name},
                      {"title", experiment.title},
                      {"summary", experiment.summary},
                      {"claims", experiment.claims.size()},
                      {"rows", rows},
                      {"path", experiment.path.string()}});
  }
  if (table.empty())
    throw base::InputError(
        "no experiments are shipped here; set WARPTUNE_SHARE to the folder that holds lab/");
  if (options.json()) {
    std::cout << detail::to_text(report) << "\n";
  } else {
    fmt::print("{}\n`warptune lab NAME` or `--all` runs them, with `--replay` as recorded on an H200.\n",
               table.text());
  }
  return 0;
}

int check_experiments(const std::vector<Experiment>& experiments) {
  int code = 0;
  for (const Experiment& experiment : experiments) {
    const LabPlan plan = plan_experiment(experiment, search::fictional_gpu());
    const std::vector<std::string> problems = compile_problems(plan);
    for (const std::string& problem : problems) fmt::print("{}: {}\n", experiment.name, problem);
    std::size_t configurations = 0;
    for (const LabSession& session : plan.sessions) configurations += session.configurations.size();
    if (!problems.empty()) code = static_cast<int>(base::ExitCode::kWorkFailed);
    fmt::print("{}: {} of {} programs for {} do not compile\n", experiment.name, problems.size(),
               configurations, plan.gpu.architecture());
  }
  return code;
}

// The GPU that --device names, else the first.
std::pair<search::GpuDescription, int> gpu_of(const Options& options) {
  const profiling::GpuList census = list_local_gpus();
  if (census.gpus.empty())
    throw base::MachineError("no GPU: " + census.reason, "`--replay` shows a recorded run without one");
  const int ordinal = chosen_devices(options.text("device").value_or("0"), census.gpus.size()).front();
  return {census.gpus[static_cast<std::size_t>(ordinal)], ordinal};
}

void write_files(const std::vector<LabFile>& files, const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& [name, text] : files) base::write_file_atomically(folder / name, text);
}

class LabRun {
 public:
  explicit LabRun(const Options& options) : options_(options) {
    if (options.is_set("replay")) return;
    std::tie(gpu_, ordinal_) = gpu_of(options);
  }

  /// False where an interrupt came first.
  bool add(const Experiment& experiment) {
    std::optional<LabResult> result = options_.is_set("replay")
                                          ? read_lab_result(experiment, recordings())
                                          : measure_experiment(options_, experiment, gpu_, ordinal_);
    if (!result) return false;
    if (const auto folder = options_.text("record")) write_lab_result(*result, *folder);
    auto judged = std::make_unique<Judged>();
    judged->result = std::move(*result);
    judged->judgement = judge(judged->result);
    if (const auto folder = options_.text("pages"))
      write_files(lab_page(judged->result, judged->judgement), *folder);
    if (!options_.json())
      fmt::print("{}\n", lab_text(judged->result, judged->judgement, terminal_width(stdout)));
    std::fflush(stdout);
    judged_.push_back(std::move(judged));
    return true;
  }

  void finish() const {
    Pairs pairs;
    for (const auto& judged : judged_) pairs.emplace_back(&judged->result, &judged->judgement);
    if (options_.text("pages") && options_.is_set("all"))
      write_files({lab_index(pairs)}, *options_.text("pages"));
    if (options_.json()) {
      std::cout << lab_json(pairs) << "\n";
    } else if (judged_.size() > 1) {
      print_summary();
    }
  }

 private:
  fs::path recordings() const {
    const auto folder = options_.text("recordings");
    return folder ? fs::path(*folder) : shipped_lab_recordings();
  }

  void print_summary() const {
    TextTable table({"experiment", "claims", "counters as theory says"});
    for (const auto& judged : judged_) {
      const LabJudgement& judgement = judged->judgement;
      table.add({judged->result.plan.experiment.name, verdicts_text(judgement),
                 judgement.theory.empty()
                     ? "-"
                     : fmt::format("{} of {}", judgement.theory_within(), judgement.theory.size())});
    }
    fmt::print("{}", table.text());
  }

  const Options& options_;
  search::GpuDescription gpu_;
  int ordinal_ = 0;
  std::vector<std::unique_ptr<Judged>> judged_;
};

}  // namespace

int run_lab(const std::vector<std::string>& arguments) {
  Options options = lab_options();
  if (!options.parse(arguments)) return 0;
  check_measuring_options(options);
  if (options.text("recordings") && !options.is_set("replay"))
    throw base::InputError("--recordings is for --replay");
  if (options.text("record") && options.is_set("replay"))
    throw base::InputError("--record keeps what is measured; with --replay nothing is");
  const std::vector<Experiment> experiments = chosen_experiments(options);
  if (experiments.empty()) return list_experiments(options);
  if (options.is_set("check")) return check_experiments(experiments);
  const InterruptGuard guard;
  LabRun run(options);
  bool complete = true;
  int code = 0;
  for (std::size_t i = 0; i < experiments.size() && complete; ++i) {
    try {
      complete = run.add(experiments[i]);
    } catch (const base::Error& error) {
      if (experiments.size() == 1) throw;
      fmt::print(stderr, "warptune: {}: {}\n", experiments[i].name, error.what());
      code = static_cast<int>(error.exit_code());  // The others may do.
    }
  }
  run.finish();
  if (complete) return code;
  fmt::print(stderr, "interrupted; what was measured is in the database\n");
  return static_cast<int>(base::ExitCode::kInterrupted);
}

}  // namespace warptune::tuner::cli
