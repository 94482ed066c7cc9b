#include "tuner/explaining/diagnosis_input.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/compile_cache.h"

namespace warptune::tuner::explaining {

namespace {

// A function that returns the resources of a configuration. They come from a row of the recording if there is
// one. Otherwise the configuration is compiled, once. Without NVRTC only the resources of rows are known.
class CompiledResources {
 public:
  CompiledResources(const kernel_templates::KernelInstance& instance, const model::Recording& recording,
                    const std::filesystem::path& compile_cache)
      : instance_(&instance) {
    if (!compile_cache.empty()) cache_.emplace(compile_cache);
    for (const model::Measurement& row : recording.measurements) {
      // Resources that compiling does not give are left out, because remedies compare the resources of
      // measured configurations with those of compiled ones.
      const model::ResourceUse& use = row.resources;
      if (use.registers_per_thread <= 0 || use.threads_per_block <= 0) continue;
      by_key_[model::key_of(row.configuration)] =
          model::ResourceUse{use.registers_per_thread, use.static_shared_bytes, use.dynamic_shared_bytes,
                             use.local_bytes,          use.threads_per_block,   use.blocks};
    }
  }

  std::optional<model::ResourceUse> operator()(const model::NamedValues& configuration) {
    const auto [known, is_new] = by_key_.try_emplace(model::key_of(configuration));
    if (!is_new || !can_compile_) return known->second;
    try {
      known->second = compile(configuration);
    } catch (const base::MachineError& error) {
      can_compile_ = false;
      base::log_debug(fmt::format(
          "remedies that need the resources of unmeasured configurations are left out: {}", error.what()));
    }
    return known->second;
  }

 private:
  std::optional<model::ResourceUse> compile(const model::NamedValues& configuration) {
    const auto indices = instance_->space().configuration_of(configuration);
    if (!indices || !instance_->space().contains(*indices)) return std::nullopt;
    const auto plan = instance_->screened_plan(configuration);
    const auto request = instance_->compile_request(configuration);
    if (!plan || !request || plan->main_launch() == nullptr) return std::nullopt;
    const auto compiled =
        cache_ ? kernel_templates::compile_through(*cache_, *request) : kernel_templates::compile(*request);
    if (!compiled) return std::nullopt;
    const kernel_templates::LaunchStep& step = *plan->main_launch();
    const kernel_templates::EntryCode& code = compiled->find_entry(step.entry);
    model::ResourceUse use;
    use.registers_per_thread = code.registers_per_thread;
    use.static_shared_bytes = code.static_shared_bytes;
    use.dynamic_shared_bytes = step.shared_bytes;
    use.local_bytes = code.local_bytes;
    use.threads_per_block = step.block[0] * step.block[1] * step.block[2];
    use.blocks = step.grid[0] * step.grid[1] * step.grid[2];
    return use;
  }

  const kernel_templates::KernelInstance* instance_;
  std::optional<kernel_templates::CompileCache> cache_;
  bool can_compile_ = true;
  std::map<std::string, std::optional<model::ResourceUse>> by_key_;
};

}  // namespace

profiling::diagnosis::DiagnosisInput diagnosis_input(const model::Recording& recording,
                                                     const model::Measurement& measurement,
                                                     const search::analysis::ParameterEffects* effects,
                                                     const kernel_templates::KernelInstance* instance,
                                                     const std::filesystem::path& compile_cache) {
  profiling::diagnosis::DiagnosisInput input;
  input.gpu = recording.workload.gpu;
  input.measurement = measurement;
  input.problem = recording.workload.problem;
  input.work = recording.work;
  input.roofs = recording.roofs;
  input.cache = recording.workload.cache;
  input.effects = effects;
  if (instance != nullptr) {
    const auto resources = std::make_shared<CompiledResources>(*instance, recording, compile_cache);
    input.resources_of = [resources](const model::NamedValues& configuration) {
      return (*resources)(configuration);
    };
  }
  return input;
}

}  // namespace warptune::tuner::explaining
