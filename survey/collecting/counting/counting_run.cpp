#include "survey/collecting/counting/counting_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "profiling/gpu.h"
#include "survey/collecting/counting/counted_records.h"
#include "survey/collecting/counting/counting_plan.h"
#include "survey/collecting/counting/counting_plan_file.h"
#include "survey/collecting/injection_folder.h"
#include "survey/collecting/program_window.h"
#include "survey/collecting/raw_devices.h"
#include "survey/collecting/raw_process.h"
#include "survey/collecting/raw_reader.h"
#include "survey/collecting/started_program.h"

namespace warptune::survey::collecting::counting {

namespace fs = std::filesystem;
using profiling::counters::CountingConfig;
using records::CountedShape;
using records::Index;
using records::Survey;

namespace {

void add_sentence(std::string& text, const std::string& sentence) {
  if (sentence.empty() || text.find(sentence) != std::string::npos) return;
  text += text.empty() ? sentence : " " + sentence;
}

// The chips that GPUs of the survey may have. The first three characters of a name stand for a family, such
// as GA1. Chips of a family have different configurations, and only CUPTI in the program knows which it is.
std::set<std::string> chips_of(const Survey& survey, const std::vector<std::string>& known) {
  constexpr std::size_t kFamily = 3;
  std::set<std::string> chips;
  for (const records::Device& device : survey.devices) {
    const std::string usual =
        profiling::chip_by_capability(device.gpu.compute_major, device.gpu.compute_minor);
    if (usual.empty()) continue;
    for (const std::string& chip : known) {
      if (chip.starts_with(usual.substr(0, kFamily))) chips.insert(chip);
    }
  }
  return chips;
}

CountingPlan make_plan(const Survey& survey, const CountingRequest& counting,
                       const std::vector<Index>& shapes, std::string& problem) {
  CountingPlan plan;
  plan.launches = static_cast<std::uint32_t>(counting.launches);
  plan.longest_ns = static_cast<std::uint64_t>(counting.longest_s * kNanosecondsPerSecond);
  for (const Index shape : shapes) {
    const records::KernelShape& form = survey.shapes[shape];
    plan.kernels.push_back({survey.names[form.name], form.grid, form.block});
  }
  for (const std::string& chip : chips_of(survey, counting.tools.chips())) {
    CountingConfig config = counting.tools.configure(chip, counting.metrics);
    for (const std::string& warning : config.warnings) add_sentence(problem, warning + ".");
    if (!config.metrics.empty() && plan.configs.size() < kMaxPlannedConfigs)
      plan.configs.push_back(std::move(config));
  }
  return plan;
}

// What became of a kernel's launches in all processes.
struct KernelFate {
  RawCountedTotals totals;
  bool is_in_graph = false;          // Some graph has it.
  bool is_in_counted_graph = false;  // Such a graph has counters.
  bool has_collectives = false;      // Such a graph waits for other GPUs.
  bool is_mixed = false;             // Counters of such a graph were lost.
  std::uint64_t graph_launches = 0;  // The maximum over such graphs.
};

// Why a kernel was not counted, as the end of a sentence. `passes` is how many launches of a graph are
// needed.
std::string reason_of(const KernelFate& fate, std::size_t passes) {
  if (fate.is_mixed) return "other work ran beside the CUDA graphs whose nodes they are";
  if (fate.has_collectives)
    return "the CUDA graphs whose nodes they are have collectives, which wait for other GPUs";
  if (fate.is_in_graph && fate.graph_launches < passes)
    return fmt::format("the CUDA graphs whose nodes they are were not launched {}, as their counters need",
                       base::counted(passes, "time"));
  if (fate.is_in_graph) return "counting ended before the CUDA graphs whose nodes they are had all counters";
  if (fate.totals.captured > 0)
    return "launches became nodes of CUDA graphs, or came while a graph was captured";
  if (fate.totals.mixed > 0) return "launches of other threads ran beside theirs";
  if (fate.totals.launches > 0)
    return "launches were not within the time to survey, came while a CUDA graph was counted, or the "
           "counters failed";
  if (fate.totals.others > 0) return "the second run launched them with other grids or blocks";
  return "the second run did not launch them, or by CUDA graphs only";
}

void add_fates(const RawProcess& process, std::vector<KernelFate>& fates) {
  for (const RawCountedTotals& totals : process.counted_totals) {
    if (totals.kernel >= fates.size()) continue;
    RawCountedTotals& sum = fates[totals.kernel].totals;
    sum.counted += totals.counted;
    sum.launches += totals.launches;
    sum.captured += totals.captured;
    sum.mixed += totals.mixed;
    sum.others += totals.others;
  }
  for (const RawCountedGraph& graph : process.counted_graphs) {
    for (std::size_t i = 0; i < std::min(fates.size(), graph.nodes.size()); ++i) {
      if (graph.nodes[i] == 0) continue;
      fates[i].is_in_graph = true;
      fates[i].is_in_counted_graph = fates[i].is_in_counted_graph || graph.counted > 0;
      fates[i].has_collectives = fates[i].has_collectives || graph.has_collectives != 0;
      fates[i].is_mixed = fates[i].is_mixed || graph.mixed > 0;
      fates[i].graph_launches = std::max(fates[i].graph_launches, graph.launches);
    }
  }
}

// Sentences on what is missing.
std::string missing_text(const CountingPlan& plan, const std::vector<RawProcess>& processes) {
  std::vector<KernelFate> fates(plan.kernels.size());
  std::string text;
  bool has_totals = false;
  for (const RawProcess& process : processes) {
    add_sentence(text, process.problem);
    has_totals = has_totals || !process.counted_totals.empty();
    add_fates(process, fates);
  }
  if (processes.empty()) return "No process of the second run initialised CUDA, so nothing was counted.";
  if (!has_totals && text.empty())
    return "The second run ended without its exit handlers, so launches may be missing among the counted "
           "ones.";
  if (!text.empty()) return text;  // It says more than what follows from it.
  std::size_t passes = 0;
  for (const CountingConfig& config : plan.configs) passes = std::max(passes, config.passes);
  std::map<std::string, std::size_t> reasons;
  for (const KernelFate& fate : fates) {
    if (fate.totals.counted == 0 && !fate.is_in_counted_graph) ++reasons[reason_of(fate, passes)];
  }
  for (const auto& [reason, kernels] : reasons)
    add_sentence(text, fmt::format("{} of {} could not be counted: {}.", kernels,
                                   base::counted(fates.size(), "hot kernel"), reason));
  return text;
}

void run_and_count(const SurveyRequest& run, const CountingRequest& counting,
                   const std::vector<Index>& shapes, Survey& survey) {
  std::string& problem = survey.run.counting_problem;
  const CountingPlan plan = make_plan(survey, counting, shapes, problem);
  if (plan.configs.empty()) {
    add_sentence(problem, "CUPTI has no counters for the GPUs of this survey.");
    return;
  }
  const InjectionFolder folder;
  const fs::path plan_path = folder.path() / "plan";
  base::write_file_atomically(plan_path, plan_bytes(plan));
  std::vector<std::string> variables = window_from_now(run.after, run.duration).variables();
  variables.insert(variables.end(), {"CUDA_INJECTION64_PATH=" + folder.library().string(),
                                     "WARPTUNE_SURVEY_FOLDER=" + folder.path().string(),
                                     "WARPTUNE_SURVEY_CUPTI=" + injected_cupti_path(),
                                     "WARPTUNE_SURVEY_PLAN=" + plan_path.string()});
  const ProgramEnd end = run_program(run.command, variables);
  const std::vector<RawProcess> processes = read_raw_processes(folder.path());
  if (end.signal) add_sentence(problem, fmt::format("The second run was ended by signal {}.", *end.signal));
  if (end.exit_code && survey.run.exit_code && *end.exit_code != *survey.run.exit_code)
    add_sentence(problem, fmt::format("The second run had the exit code {}, the first one {}.",
                                      *end.exit_code, *survey.run.exit_code));
  add_sentence(problem, missing_text(plan, processes));
  const CountedRecords counted = counted_records({survey, plan, counting.tools.evaluate, shapes}, processes);
  survey.counted = counted.shapes;
  survey.counted_graphs = counted.graphs;
  add_sentence(problem, counted.problem);
}

}  // namespace

CountingTools cupti_tools() {
  return {profiling::counters::countable_chips, profiling::counters::counting_config,
          profiling::counters::counters_of};
}

void count_launches(const SurveyRequest& run, const CountingRequest& counting,
                    const std::vector<Index>& shapes, Survey& survey) {
  std::string& problem = survey.run.counting_problem;
  if (shapes.empty()) {
    add_sentence(problem, "The survey has no kernel that could be counted.");
    return;
  }
  try {
    run_and_count(run, counting, shapes, survey);
  } catch (const base::InternalError&) {
    throw;
  } catch (const std::exception& error) {  // Also too little memory for the counters.
    add_sentence(problem, fmt::format("The counters could not be read: {}.", error.what()));
  }
}

}  // namespace warptune::survey::collecting::counting
