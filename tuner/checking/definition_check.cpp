// How a definition is checked. First its text and its sources are inspected. Then the reference, the default
// and a sample of the configurations are compiled for each GPU. The code is compared with the definition.
#include "tuner/checking/definition_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "kernel_templates/inspection/argument_findings.h"
#include "kernel_templates/inspection/definition_findings.h"
#include "kernel_templates/inspection/grid_findings.h"
#include "kernel_templates/kernel_instance.h"
#include "profiling/diagnosis/occupancy.h"
#include "tuner/checking/compiler_messages.h"
#include "tuner/checking/program_positions.h"
#include "tuner/checking/sampled_configurations.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::checking {

namespace {

namespace inspection = kernel_templates::inspection;
using inspection::Finding;
using inspection::Findings;
using inspection::Severity;
using kernel_templates::KernelInstance;
using kernel_templates::ReferenceKind;
using model::NamedValues;

constexpr std::size_t kInspected = 256;  // Random configurations for which expressions are evaluated.

// Adds findings with a new position or severity. Several GPUs and configurations often repeat a finding.
void add_new(Findings& findings, const Findings& further) {
  for (const Finding& finding : further) {
    const auto is_same = [&](const Finding& other) {
      return other.position == finding.position && other.severity == finding.severity;
    };
    if (std::none_of(findings.begin(), findings.end(), is_same)) findings.push_back(finding);
  }
}

// The check of one GPU.
class GpuCheck {
 public:
  GpuCheck(const CheckRequest& request, const model::GpuDescription& gpu,
           const std::vector<inspection::SourceFacts>& sources, Findings& findings,
           const base::Cancellation& cancellation)
      : request_(request),
        instance_(request.definition, request.sizes, gpu),
        sources_(sources),
        findings_(findings),
        cancellation_(cancellation) {
    add_new(findings_, inspection::contents_findings(instance_, request.trusted));
    add_new(findings_, inspection::recommendation_findings(instance_));
    checked_.gpu = gpu;
    checked_.configurations = instance_.space().estimated_size();
  }

  CheckedGpu run(workers::compiling::CompilePool& pool) {
    choose_programs();
    if (!inspected_.empty()) inspect_launches(inspected_.front());
    add_new(findings_, inspection::numeric_conditions(instance_, inspected_));
    add_new(findings_, inspection::uncovered_sizes(instance_, sources_, inspected_));
    compile(pool);
    for (std::size_t i = 0; i < checked_.programs.size(); ++i) judge(i);
    return checked_;
  }
  const NamedValues& problem() const { return instance_.problem(); }
  // The default and the sample.
  std::vector<NamedValues> configurations() const {
    std::vector<NamedValues> configurations;
    for (const CheckedProgram& one : checked_.programs)
      if (one.role != Role::kReference) configurations.push_back(one.configuration);
    return configurations;
  }

 private:
  void inspect_launches(const NamedValues& configuration) {
    add_new(findings_, inspection::launch_findings(instance_, configuration));
    const auto arguments = instance_.arguments(configuration);
    if (arguments) return;
    const std::string& reason = arguments.error().reason;
    add_new(findings_, {{Severity::kError, argument_position(instance_.definition(), reason), reason}});
  }

  void choose_programs() {
    const model::Space& space = instance_.space();
    const NamedValues& default_values = instance_.default_configuration();
    std::vector<NamedValues> sample =
        request_.sample ? drawn(space, *request_.sample + (default_values.empty() ? 0 : 1), request_.seed)
                        : all_of(space, cancellation_);
    std::erase(sample, default_values);  // This is why one more was drawn.
    if (request_.sample && sample.size() > *request_.sample) sample.resize(*request_.sample);
    inspected_ = drawn(space, kInspected, request_.seed);
    std::erase(inspected_, default_values);
    if (!default_values.empty()) inspected_.insert(inspected_.begin(), default_values);
    add_variants(sample);
    add_program(Role::kReference, {});
    if (!default_values.empty()) add_program(Role::kDefault, default_values);
    const NamedValues recommended = instance_.recommended_configuration();
    std::erase(sample, recommended);
    if (!recommended.empty() && recommended != default_values) add_program(Role::kRecommended, recommended);
    for (NamedValues& configuration : sample) add_program(Role::kSample, std::move(configuration));
  }

  // Adds a configuration for each variant that neither the default nor the sample has.
  void add_variants(std::vector<NamedValues>& sample) const {
    const kernel_templates::KernelDefinition& definition = instance_.definition();
    for (const kernel_templates::Variant& variant : definition.variants) {
      const auto has_it = [&](const NamedValues& configuration) {
        const model::Value* value = model::find(configuration, definition.parameters.front().name);
        return value != nullptr && model::to_text(*value) == variant.name;
      };
      const auto found = std::find_if(inspected_.begin(), inspected_.end(), has_it);
      if (found == inspected_.end() || has_it(instance_.default_configuration())) continue;
      if (std::none_of(sample.begin(), sample.end(), has_it)) sample.push_back(*found);
    }
  }

  void add_program(Role role, NamedValues configuration) {
    cancellation_.throw_if_cancelled();
    if (role == Role::kReference && !instance_.compiles_reference()) return;
    CheckedProgram program;
    program.role = role;
    program.configuration = std::move(configuration);
    const bool is_reference = role == Role::kReference;
    auto plan = is_reference ? instance_.reference_plan() : instance_.screened_plan(program.configuration);
    auto compiled =
        is_reference ? instance_.reference_request() : instance_.compile_request(program.configuration);
    if (!plan) {
      program.rejection = plan.error();
    } else if (const auto used = instance_.arguments(program.configuration); !used && !is_reference) {
      program.rejection = used.error();
    } else if (!compiled) {
      program.rejection = compiled.error();
    } else if (!compiled->entries.empty()) {  // A host program may launch no kernel.
      program.entries = compiled->entries;
      program.entry = compiled->entries.front();
      plans_.push_back(std::move(*plan));
      requests_.push_back(std::move(*compiled));
      program_of_request_.push_back(checked_.programs.size());
    }
    checked_.programs.push_back(std::move(program));
  }

  void compile(workers::compiling::CompilePool& pool) {
    if (requests_.empty()) return;
    auto outcomes = pool.compile_all(requests_, cancellation_);
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      CheckedProgram& program = checked_.programs[program_of_request_[i]];
      if (!outcomes[i]) {
        program.rejection = std::move(outcomes[i].error());
      } else {
        read_resources(program, plans_[i], *outcomes[i]);
        compare_arguments(program, plans_[i], *outcomes[i]);
      }
    }
  }

  void read_resources(CheckedProgram& program, const kernel_templates::LaunchPlan& plan,
                      const kernel_templates::CompiledKernel& compiled) {
    program.compile_ms = compiled.compile_ms;
    program.from_cache = compiled.from_cache;
    const kernel_templates::LaunchStep* launch = plan.main_launch();
    if (launch == nullptr) return;
    const kernel_templates::EntryCode& code = compiled.find_entry(launch->entry);
    model::ResourceUse& use = program.resources;
    program.entry = launch->entry;
    program.spill_bytes = code.spill_bytes;
    use.registers_per_thread = code.registers_per_thread;
    use.static_shared_bytes = code.static_shared_bytes;
    use.dynamic_shared_bytes = launch->shared_bytes;
    use.local_bytes = code.local_bytes;
    use.threads_per_block = launch->block[0] * launch->block[1] * launch->block[2];
    use.blocks = launch->grid[0] * launch->grid[1] * launch->grid[2];
    const auto limits = profiling::diagnosis::occupancy_limits(instance_.gpu(), use);
    program.occupancy = limits.occupancy;
    for (const auto limiter : limits.limiters)
      program.limited_by.emplace_back(profiling::diagnosis::to_string(limiter));
    if (limits.blocks_per_sm > 0) return;
    program.rejection = model::Rejection{
        model::Status::kLaunchInvalid,
        fmt::format("a block of {} does not fit into an SM: {} threads, {} registers per thread, {} bytes of "
                    "shared memory",
                    launch->entry, use.threads_per_block, use.registers_per_thread,
                    use.static_shared_bytes + use.dynamic_shared_bytes)};
  }

  void compare_arguments(const CheckedProgram& program, const kernel_templates::LaunchPlan& plan,
                         const kernel_templates::CompiledKernel& compiled) {
    const kernel_templates::KernelDefinition& definition = instance_.definition();
    if (program.role == Role::kReference && definition.check.reference == ReferenceKind::kExpression) return;
    const NamedValues& configuration =
        program.configuration.empty() ? inspected_.front() : program.configuration;
    const auto arguments = instance_.arguments(configuration);
    for (const kernel_templates::PlanStep& step : plan.steps) {
      if (!arguments || step.launch() == nullptr) continue;
      add_new(findings_,
              inspection::argument_findings(definition, *arguments, *step.launch(), compiled,
                                            launch_position(definition, program, step.launch()->entry)));
    }
  }

  // A reference, a default or a recommended configuration that fails is an error of the definition. A
  // configuration of the sample may fail. But if there is no default and the whole sample fails, the first
  // one is reported as an error.
  void judge(std::size_t index) {
    const CheckedProgram& program = checked_.programs[index];
    if (!program.rejection || (program.role == Role::kSample && !is_first_of_failed_sample(index))) return;
    const kernel_templates::KernelDefinition& definition = instance_.definition();
    if (program.rejection->status == model::Status::kLaunchInvalid) {
      if (!inspection::launch_findings(instance_, inspected_.front()).empty()) return;  // Reported already.
      return add_new(findings_, {{Severity::kError, invalid_launch_position(instance_, program),
                                  program.rejection->reason}});
    }
    if (program.role == Role::kReference && definition.check.reference == ReferenceKind::kExpression)
      return add_new(findings_, {expression_failure(*program.rejection, definition.check.position)});
    add_new(findings_, {compile_failure(asked_names(definition, program, described(program.role)),
                                        *program.rejection, facts_of(program))});
  }

  bool is_first_of_failed_sample(std::size_t index) const {
    const auto& programs = checked_.programs;
    const auto is_configuration = [](const CheckedProgram& one) { return one.role != Role::kReference; };
    const auto first = std::find_if(programs.begin(), programs.end(), is_configuration);
    return &*first == &programs[index] && std::all_of(first, programs.end(), [](const CheckedProgram& one) {
      return one.rejection.has_value();
    });
  }

  const inspection::SourceFacts* facts_of(const CheckedProgram& program) const {
    const kernel_templates::Variant* variant = variant_of(instance_.definition(), program);
    const kernel_templates::KernelDefinition& definition = instance_.definition();
    const bool is_entry =
        program.role == Role::kReference && definition.check.reference == ReferenceKind::kEntry;
    const std::filesystem::path& main_source = variant == nullptr ? definition.source : variant->source;
    const std::filesystem::path& source = is_entry ? definition.check.source : main_source;
    const auto found = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const auto& facts) { return facts.source == source; });
    return found == sources_.end() ? nullptr : &*found;
  }

  const CheckRequest& request_;
  KernelInstance instance_;
  const std::vector<inspection::SourceFacts>& sources_;
  Findings& findings_;
  const base::Cancellation& cancellation_;
  CheckedGpu checked_;
  std::vector<NamedValues> inspected_;  ///< Begins with the default, if there is one.
  std::vector<kernel_templates::LaunchPlan> plans_;
  std::vector<kernel_templates::CompileRequest> requests_;
  std::vector<std::size_t> program_of_request_;  ///< Indices in `checked_.programs`.
};

// Runs kernels on the host, if that is allowed and no errors were found before.
void check_host(const CheckRequest& request, const std::vector<NamedValues>& configurations,
                const base::Cancellation& cancellation, CheckReport& report) {
  if (!request.trusted) {
    report.host.obstacle = "that executes code of the definition; --trust allows it";
  } else if (report.errors() > 0) {
    report.host.obstacle = "the errors must be corrected first";
  } else {
    report.host = check_on_host({request.definition, request.sizes, request.gpus.front(), configurations,
                                 request.jobs, request.host_deadline, cancellation});
    for (const Finding& finding : report.host.findings) {
      const auto is_there = [&](const Finding& other) { return other.position == finding.position; };
      if (std::none_of(report.findings.begin(), report.findings.end(), is_there))
        report.findings.push_back(finding);
    }
  }
}

}  // namespace

CheckReport check_definition(const CheckRequest& request, const base::Cancellation& cancellation) {
  CheckReport report;
  report.kernel = request.definition.name;
  const std::vector<inspection::SourceFacts> sources = inspection::source_facts(request.definition);
  add_new(report.findings, inspection::text_findings(request.definition, sources));
  const std::string identity = workers::compiling::identity_of(request.definition);
  workers::compiling::CompilePool pool(request.jobs, request.deadline, request.compile_cache, 0, identity);
  std::vector<NamedValues> configurations;
  for (const model::GpuDescription& gpu : request.gpus) {
    GpuCheck check(request, gpu, sources, report.findings, cancellation);
    report.problem = check.problem();
    report.gpus.push_back(check.run(pool));
    if (configurations.empty()) configurations = check.configurations();
  }
  check_host(request, configurations, cancellation, report);
  report.warnings = pool.take_warnings();
  std::ranges::stable_sort(report.findings, {}, [](const Finding& finding) {
    return std::tie(finding.position.file, finding.position.line, finding.position.column);
  });
  return report;
}

}  // namespace warptune::tuner::checking
