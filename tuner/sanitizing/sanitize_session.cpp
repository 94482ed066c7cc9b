#include "tuner/sanitizing/sanitize_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/error.h"
#include "kernel_templates/library.h"
#include "tuner/checking/small_problems.h"
#include "tuner/explaining/profiled_workload.h"
#include "tuner/explaining/source_lines.h"
#include "tuner/gpus/gpu_turn.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/sanitizing/sanitizer_program.h"

namespace warptune::tuner::sanitizing {

using explaining::ChosenConfiguration;
using kernel_templates::KernelInstance;

namespace {

// Whether the GPU can run a configuration for a problem.
bool is_possible(const KernelInstance& instance, const model::NamedValues& values) {
  const auto configuration = instance.space().configuration_of(values);
  return configuration && instance.space().contains(*configuration) && instance.screened_plan(values) &&
         instance.arguments(values);
}

/// A problem for which a configuration is launched, and the seed of its inputs.
struct LaunchedProblem {
  KernelInstance instance;
  std::uint64_t seed = 1;
};

// The first library call of a plan is made once before the launch, and reads what no step has written yet.
bool calls_a_library(const KernelInstance& instance, const model::NamedValues& configuration) {
  const auto plan = instance.launch_plan(configuration);
  return plan && std::any_of(plan->steps.begin(), plan->steps.end(), [](const auto& step) {
           return std::holds_alternative<kernel_templates::MatrixProductStep>(step.action);
         });
}

class SanitizeSession {
 public:
  SanitizeSession(const SanitizeRequest& request, session::SessionListener& listener,
                  const base::Cancellation& cancellation)
      : request_(request), listener_(listener), cancellation_(cancellation) {}

  std::optional<SanitizeReport> run() {
    require_definition();
    report_.program = find_sanitizer();
    const profiling::GpuList& list = gpus_.list();
    if (list.gpus.empty())
      throw base::MachineError(fmt::format("no GPU: {}", list.reason), "run this on a machine with a GPU");
    known_ = explaining::find_profiled_workload(request_.profile, gpus_, listener_);
    report_.workload = known_.recording.workload;
    const std::vector<ChosenConfiguration> choices = choose();
    ordinal_ = device(list);
    const gpus::GpuTurn turn({ordinal_}, cancellation_);
    for (const ChosenConfiguration& choice : choices) {
      if (cancellation_.is_cancelled()) return std::nullopt;
      report_.configurations.push_back(sanitized(choice));
    }
    if (cancellation_.is_cancelled()) return std::nullopt;
    return std::move(report_);
  }

 private:
  // A wrong definition or size is reported even where there is no compute-sanitizer or no GPU.
  void require_definition() const {
    const knowledge::WorkloadQuestion& question = request_.profile.workload;
    if (knowledge::names_recording(question.kernel))
      throw base::InputError(fmt::format(
          "{} is a recording; --sanitize launches the kernel, so it needs the definition", question.kernel));
    const KernelInstance checked(kernel_templates::load_kernel(question.kernel, question.permissions),
                                 question.sizes, model::fictional_gpu());
  }

  std::vector<ChosenConfiguration> choose() const {
    const explaining::ProfileRequest& profile = request_.profile;
    if (profile.from_default || !profile.changes.empty()) return {choose_configuration(profile, known_)};
    explaining::ProfileRequest of_default = profile;
    of_default.from_default = true;
    std::vector<ChosenConfiguration> choices;
    if (!known_.recording.default_configuration.empty())
      choices.push_back(choose_configuration(of_default, known_));
    if (choices.empty() || !known_.best.empty()) {
      ChosenConfiguration best = choose_configuration(profile, known_);
      if (choices.empty() || model::key_of(best.configuration) != model::key_of(choices[0].configuration))
        choices.push_back(std::move(best));
      else
        choices[0].which += ", which is also " + best.which;
    }
    return choices;
  }

  int device(const profiling::GpuList& list) const {
    const model::GpuDescription& gpu = report_.workload.gpu;
    const std::optional<int> ordinal = session::find_device(list, request_.profile.measurement.device, gpu);
    if (ordinal) return *ordinal;
    throw base::MachineError(fmt::format("this machine has no {}", gpu.name),
                             "omit --gpu to use a GPU of this machine");
  }

  LaunchedProblem problem_of(const model::NamedValues& configuration) const {
    const KernelInstance& instance = *known_.instance;
    const model::NamedValues& sizes = request_.profile.workload.sizes;
    LaunchedProblem problem{instance, request_.profile.measurement.measuring.seed};
    if (!sizes.empty()) return problem;
    std::vector<checking::SmallProblem> small =
        checking::small_problems(instance.definition(), sizes, instance.gpu(), {configuration});
    const auto first = std::find_if(small.begin(), small.end(), [](const auto& one) { return !one.ragged; });
    if (first == small.end()) return problem;
    try {  // The small problem may be that of a GPU with two SMs.
      KernelInstance reduced(instance.definition(), first->instance.problem(), instance.gpu());
      if (is_possible(reduced, configuration)) return {std::move(reduced), first->seed};
    } catch (const base::InputError&) {  // This GPU does not allow these sizes.
    }
    return problem;
  }

  SanitizedConfiguration sanitized(const ChosenConfiguration& choice) {
    const auto [instance, seed] = problem_of(choice.configuration);
    SanitizedConfiguration result{choice.which, choice.configuration, instance.problem(), "", {}};
    auto compiled = explaining::compile_with_lines(instance, choice.configuration,
                                                   request_.profile.measurement.measuring.compile_cache);
    if (!compiled) {
      result.obstacle =
          fmt::format("{}: {}", model::to_string(compiled.error().status), compiled.error().reason);
      return result;
    }
    const kernel_templates::KernelDefinition& definition = instance.definition();
    explaining::SourceTexts texts(definition.scope);
    const protocol::LaunchOnce launch{std::filesystem::absolute(definition.path).string(),
                                      definition.scope.permissions().readable,
                                      instance.problem(),
                                      instance.gpu(),
                                      ordinal_,
                                      seed,
                                      choice.configuration,
                                      std::move(*compiled),
                                      0};
    for (const SanitizerTool tool : kSanitizerTools) {
      if (cancellation_.is_cancelled()) break;
      if (tool == SanitizerTool::kInitcheck && calls_a_library(instance, choice.configuration)) {
        result.tools.emplace_back().tool = tool;
        result.tools.back().skipped =
            "the program calls a library, and initcheck does not know what that writes";
        continue;
      }
      result.tools.push_back(
          sanitize_launch(report_.program, tool, launch, request_.limit, texts, cancellation_));
    }
    return result;
  }

  const SanitizeRequest& request_;
  session::SessionListener& listener_;
  const base::Cancellation& cancellation_;
  gpus::LocalGpus gpus_;
  knowledge::KnownRows known_;
  int ordinal_ = 0;
  SanitizeReport report_;
};

std::size_t count_findings(const SanitizeReport& report, bool errors) {
  std::size_t count = 0;
  for (const SanitizedConfiguration& one : report.configurations) {
    for (const ToolRun& run : one.tools)
      count += static_cast<std::size_t>(
          std::count_if(run.findings.begin(), run.findings.end(),
                        [&](const SanitizerFinding& finding) { return finding.is_error == errors; }));
  }
  return count;
}

}  // namespace

std::size_t SanitizeReport::errors() const { return count_findings(*this, true); }

std::size_t SanitizeReport::warnings() const { return count_findings(*this, false); }

std::size_t SanitizeReport::unfinished() const {
  std::size_t count = 0;
  for (const SanitizedConfiguration& one : configurations) {
    count += one.obstacle.empty() ? 0U : kSanitizerTools.size();
    for (const ToolRun& run : one.tools) count += run.problem.empty() ? 0U : 1U;
  }
  return count;
}

std::optional<SanitizeReport> sanitize(const SanitizeRequest& request, session::SessionListener& listener,
                                       const base::Cancellation& cancellation) {
  return SanitizeSession(request, listener, cancellation).run();
}

}  // namespace warptune::tuner::sanitizing
