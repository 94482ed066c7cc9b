#include "kernel_templates/kernel_instance.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/environment.h"
#include "base/error.h"
#include "base/shared_library.h"
#include "kernel_templates/compiling/definition_options.h"
#include "kernel_templates/compiling/program_rendering.h"
#include "kernel_templates/compiling/program_text.h"
#include "kernel_templates/compiling/rendering.h"
#include "kernel_templates/definition/include_check.h"
#include "kernel_templates/resolution/argument_resolution.h"
#include "kernel_templates/resolution/default_check.h"
#include "kernel_templates/resolution/launch_limits.h"
#include "kernel_templates/resolution/launch_resolution.h"
#include "kernel_templates/resolution/memory_resolution.h"
#include "kernel_templates/resolution/problem_check.h"
#include "kernel_templates/resolution/problem_resolution.h"
#include "kernel_templates/resolution/recommendation.h"

namespace warptune::kernel_templates {

namespace {

using model::Status;

tl::unexpected<model::Rejection> reject(Status status, std::string reason) {
  return base::failure(model::Rejection{status, std::move(reason)});
}

model::NamedValues joined(model::NamedValues first, const model::NamedValues& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Variant* variant_of(const KernelDefinition& definition, const model::NamedValues& configuration) {
  if (definition.variants.empty()) return nullptr;
  const std::string name = model::to_text(*model::find(configuration, definition.parameters.front().name));
  for (const Variant& variant : definition.variants) {
    if (variant.name == name) return &variant;
  }
  return nullptr;
}

std::string main_entry_of(const KernelDefinition& definition, const model::NamedValues& configuration) {
  const Variant* variant = variant_of(definition, configuration);
  return variant == nullptr ? definition.entry : variant->entry;
}

// The entries of all launches, whether their conditions hold or not. All of them are compiled.
std::vector<std::string> entries_of(const KernelDefinition& definition, const std::string& main_entry) {
  std::vector<std::string> entries = {main_entry};
  for (const auto* launches : {&definition.before, &definition.after}) {
    for (const Launch& launch : *launches) {
      if (std::find(entries.begin(), entries.end(), launch.entry) == entries.end())
        entries.push_back(launch.entry);
    }
  }
  return entries;
}

// nvcc runs a shell and the host's compiler on the sources, and they read the system's headers.
void require_trust(const KernelDefinition& definition) {
  if (definition.scope.may_run_code("is to be compiled by nvcc, which runs programs of this computer"))
    return;
  throw base::InputError(
      "this definition asks to be compiled by nvcc, which runs programs of this computer; if you trust its "
      "author, use --trust",
      definition.compiler_position);
}

}  // namespace

KernelInstance::KernelInstance(KernelDefinition definition, const model::NamedValues& overrides,
                               model::GpuDescription gpu)
    : definition_(std::move(definition)),
      declared_default_(definition_.default_configuration),
      gpu_(std::move(gpu)),
      problem_(resolution::resolve_problem(definition_, overrides)),
      constants_(joined(problem_, gpu_.attributes())),
      space_(definition_.parameters, definition_.constraints, constants_),
      toolkit_(base::cuda_include_folders()),
      texts_(std::make_shared<compiling::ProgramTexts>()) {
  require_possible(overrides);
  if (!resolution::is_valid_default(definition_, space_)) definition_.default_configuration.clear();
  if (definition_.flops) work_.flops = resolution::real_of(*definition_.flops, constants_);
  if (definition_.bytes) work_.bytes = resolution::real_of(*definition_.bytes, constants_);
  work_.unit = definition_.unit;
  work_.written_share = written_share();
}

model::NamedValues KernelInstance::recommended_configuration() const {
  for (const std::size_t at : resolution::valid_recommendations(definition_, constants_, space_)) {
    const model::NamedValues& values = definition_.recommendations[at].values;
    if (screened_plan(values)) return values;
  }
  return {};
}

bool KernelInstance::is_recommended_alike(const model::NamedValues& problem,
                                          const model::GpuDescription& gpu) const {
  if (definition_.recommendations.empty()) return true;
  const model::NamedValues constants = joined(problem, gpu.attributes());
  const model::Space space(definition_.parameters, definition_.constraints, constants);
  const std::vector<std::size_t> there = resolution::valid_recommendations(definition_, constants, space);
  const std::vector<std::size_t> here = resolution::valid_recommendations(definition_, constants_, space_);
  return there.empty() ? here.empty() : !here.empty() && there.front() == here.front();
}

bool KernelInstance::is_of_same_kind(const model::NamedValues& problem,
                                     const model::GpuDescription& gpu) const {
  return resolution::same_conditions_hold(definition_, constants_, joined(problem, gpu.attributes()));
}

void KernelInstance::require_possible(const model::NamedValues& overrides) const {
  std::int64_t needed = 0;
  try {
    needed = buffer_bytes();
    resolution::check_problem(definition_, problem_, constants_);
  } catch (const base::InputError& error) {
    if (overrides.empty()) throw;
    // The sizes are the cause, not the definition.
    throw base::InputError(
        fmt::format("for the given sizes {}: {}", model::to_text(overrides), error.message()));
  }
  resolution::check_default(definition_, problem_, constants_, overrides, space_);
  if (gpu_.memory_bytes > 0 && needed > gpu_.memory_bytes) {
    throw base::InputError(fmt::format(
        "the buffers of {} need {:.1f} GiB, but the GPU has {:.1f} GiB; choose smaller sizes with --size",
        model::to_text(problem_), static_cast<double>(needed) / 0x1p30,
        static_cast<double>(gpu_.memory_bytes) / 0x1p30));
  }
}

model::NamedValues KernelInstance::scope(const model::NamedValues& configuration) const {
  return joined(configuration, constants_);
}

model::Outcome<std::vector<ResolvedArgument>> KernelInstance::arguments(
    const model::NamedValues& configuration) const {
  const model::NamedValues names = scope(configuration);
  std::vector<ResolvedArgument> resolved;
  for (const Argument& argument : definition_.arguments) {
    base::Result<ResolvedArgument> one =
        argument.tensor_map ? resolution::resolve_tensor_map(argument, definition_, problem_, names)
        : argument.texture  ? resolution::resolve_texture(argument, definition_, problem_, names)
                            : resolution::resolve_argument(argument, problem_, names);
    if (!one) return reject(Status::kLaunchInvalid, one.error());
    const base::Result<Memory> memory = resolution::resolve_memory(argument, names);
    if (!memory) return reject(Status::kLaunchInvalid, memory.error());
    one->memory = *memory;
    if (const auto fault = resolution::resolve_pitch(argument, names, *one))
      return reject(Status::kLaunchInvalid, *fault);
    if (*memory == Memory::kManaged) {
      const base::Result<ManagedPages> pages = resolution::resolve_managed_pages(argument, names);
      if (!pages) return reject(Status::kLaunchInvalid, pages.error());
      one->pages = *pages;
    }
    resolved.push_back(std::move(*one));
  }
  return resolved;
}

std::int64_t KernelInstance::buffer_bytes() const {
  std::int64_t total = 0;
  for (const Argument& argument : definition_.arguments) {
    if (argument.kind == ArgumentKind::kScratch || argument.tensor_map || argument.texture)
      continue;  // Its size may depend on the configuration.
    const base::Result<ResolvedArgument> resolved =
        resolution::resolve_argument(argument, problem_, constants_);
    if (!resolved) throw base::InputError(resolved.error(), argument.position);
    if (__builtin_add_overflow(total, resolved->bytes(), &total)) {
      throw base::InputError(
          fmt::format("the size of the buffers of {} overflows 64 bits; choose smaller sizes with --size",
                      model::to_text(problem_)),
          {definition_.path.string(), 0, 0});
    }
  }
  return total;
}

std::optional<double> KernelInstance::written_share() const {
  double read = 0.0;
  double written = 0.0;
  for (const Argument& argument : definition_.arguments) {
    const bool reads = argument.kind == ArgumentKind::kIn || argument.kind == ArgumentKind::kInOut;
    const bool writes = argument.kind == ArgumentKind::kOut || argument.kind == ArgumentKind::kInOut;
    if (!reads && !writes) continue;
    const base::Result<ResolvedArgument> resolved =
        resolution::resolve_argument(argument, problem_, constants_);
    if (!resolved) continue;  // `buffer_bytes` reports the reason.
    const auto bytes = static_cast<double>(resolved->bytes());
    if (reads) read += bytes;
    if (writes) written += bytes;
  }
  if (!(read + written > 0.0)) return std::nullopt;
  return written / (read + written);
}

model::Outcome<CompileRequest> KernelInstance::compile_request(
    const model::NamedValues& configuration) const {
  const Variant* variant = variant_of(definition_, configuration);
  const std::filesystem::path& source = variant == nullptr ? definition_.source : variant->source;
  if (!definition_.host)
    return request_of(source, entries_of(definition_, main_entry_of(definition_, configuration)),
                      configuration);
  // Only the kernels that are launched: other steps may not even compile for this configuration.
  const model::Outcome<LaunchPlan> plan = launch_plan(configuration);
  if (!plan) return base::failure(plan.error());
  std::vector<std::string> entries;
  for (const PlanStep& step : plan->steps) {
    if (step.launch() != nullptr &&
        std::find(entries.begin(), entries.end(), step.launch()->entry) == entries.end())
      entries.push_back(step.launch()->entry);
  }
  return request_of(source, entries, configuration);
}

model::Outcome<CompileRequest> KernelInstance::request_of(const std::filesystem::path& source,
                                                          const std::vector<std::string>& entries,
                                                          const model::NamedValues& configuration,
                                                          bool is_reference) const {
  const model::NamedValues names = scope(configuration);
  if (!definition_.compiler.empty()) require_trust(definition_);
  CompileRequest request;
  request.program_name = source.string();
  request.compiler = definition_.compiler;
  request.readable_folders = definition_.scope.folders();
  request.architecture = gpu_.architecture();
  // Since 9.0 some targets are for one architecture only (CUDA C++ Programming Guide, "Architecture-Specific
  // Features").
  if (definition_.architecture_specific && gpu_.compute_major >= 9) request.architecture += "a";
  for (const std::string& entry : entries) {
    const base::Result<std::string> filled = compiling::fill_placeholders(entry, problem_, names);
    if (!filled) return reject(Status::kCompileFailed, filled.error());
    request.entries.push_back(*filled);
  }
  std::vector<std::filesystem::path> folders = definition_.include_folders;
  folders.insert(folders.begin(), definition_.source.parent_path());
  folders.insert(folders.end(), toolkit_.begin(), toolkit_.end());
  const auto check = [&](const compiling::ProgramText& text) {
    definition::check_included_files(definition_, source, text.files);
  };
  const adapting::SourceSettings settings = compiling::source_settings(definition_);
  const compiling::ProgramText& text = texts_->of(source, folders, toolkit_, definition_.scope, check,
                                                  definition_.compiler.empty() ? &settings : nullptr);
  base::Result<compiling::ProgramOptions> options =
      compiling::program_options(definition_, problem_, configuration, names,
                                 text.adapted ? compiling::with_stand_ins(toolkit_) : toolkit_);
  if (!options) return reject(Status::kCompileFailed, options.error());
  if (text.adapted && !settings.keeps_host_code) options->fixed.emplace_back("-default-device");
  request.libraries = definition_.libraries;
  request.variables = compiling::variables_of(definition_);
  if (is_reference) options->fixed.emplace_back("-DWARPTUNE_REFERENCE=1");
  compiling::render_program(request, text, *options);
  return request;
}

model::Outcome<LaunchPlan> KernelInstance::launch_plan(const model::NamedValues& configuration) const {
  const std::string main_entry = main_entry_of(definition_, configuration);
  const model::NamedValues names = scope(configuration);
  if (definition_.host) {
    const auto resolved = arguments(configuration);
    if (!resolved) return base::failure(resolved.error());
    return resolution::resolve_host_program(definition_, main_entry, problem_, names, *resolved);
  }
  return resolution::resolve_launches(definition_, main_entry, problem_, names,
                                      [&] { return arguments(configuration); });
}

model::Outcome<LaunchPlan> KernelInstance::screened_plan(const model::NamedValues& configuration) const {
  model::Outcome<LaunchPlan> plan = launch_plan(configuration);
  if (!plan) return plan;
  for (const PlanStep& step : plan->steps) {
    if (step.launch() == nullptr) continue;
    if (const auto fault = resolution::limit_violation(*step.launch(), gpu_))
      return reject(Status::kLaunchInvalid, *fault);
  }
  return plan;
}

}  // namespace warptune::kernel_templates
