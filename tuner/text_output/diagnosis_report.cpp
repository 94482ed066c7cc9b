#include "tuner/text_output/diagnosis_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "kernel_templates/compile_cache.h"

namespace warptune::tuner::text_output {

namespace {

using profiling::diagnosis::Finding;
using profiling::diagnosis::Severity;

// More are named without what each lacks, which would fill the screen.
constexpr std::size_t kFewUnchecked = 4;

// What a row says, or else compiling; each configuration once. Nothing is known of any that no row has where
// this machine has no NVRTC.
class CompiledResources {
 public:
  CompiledResources(const kernel_templates::KernelInstance& instance, const model::Recording& recording,
                    const std::filesystem::path& compile_cache)
      : instance_(&instance) {
    if (!compile_cache.empty()) cache_.emplace(compile_cache);
    for (const model::Measurement& row : recording.measurements) {
      // A part of what is told when compiling: the rest would be compared with nothing there.
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
      base::log_debug(fmt::format("no remedies by resources: {}", error.what()));
    }
    return known->second;
  }

 private:
  model::Outcome<kernel_templates::CompiledKernel> code_of(const kernel_templates::CompileRequest& request) {
    if (!cache_) return kernel_templates::compile(request);
    const std::string key = kernel_templates::compile_key(request);
    if (auto kept = cache_->find(key)) return *std::move(kept);
    auto compiled = kernel_templates::compile(request);
    // An included file that changed meanwhile: nobody knows which of its versions was compiled.
    if (kernel_templates::compile_key_now(request) == key) cache_->store(key, compiled);
    return compiled;
  }

  std::optional<model::ResourceUse> compile(const model::NamedValues& configuration) {
    const auto indices = instance_->space().configuration_of(configuration);
    if (!indices || !instance_->space().contains(*indices)) return std::nullopt;
    const auto plan = instance_->screened_plan(configuration);
    const auto request = instance_->compile_request(configuration);
    if (!plan || !request || plan->main_launch() == nullptr) return std::nullopt;
    const auto compiled = code_of(*request);
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

void add_finding(std::string& text, const Finding& finding) {
  text += fmt::format("  {} [{}]\n", finding.title, finding.rule);
  if (finding.gain > 0.0)
    text += fmt::format("      at most {:.0f} % of the time: {}\n", finding.gain * 100.0, finding.gain_basis);
  if (!finding.follows_from.empty()) text += fmt::format("      follows from {}\n", finding.follows_from);
  std::vector<std::string> evidence;
  evidence.reserve(finding.evidence.size());
  for (const profiling::diagnosis::Evidence& item : finding.evidence) evidence.push_back(item.text);
  if (!evidence.empty()) text += fmt::format("      seen: {}\n", fmt::join(evidence, "; "));
  for (const profiling::diagnosis::ParameterRemedy& remedy : finding.parameters)
    text += fmt::format("      try {}\n", remedy.text);
  text += fmt::format("      {}\n", finding.remedy);
}

void add_section(std::string& text, const profiling::diagnosis::Diagnosis& diagnosis, Severity severity,
                 const char* title) {
  const auto& findings = diagnosis.findings;
  if (std::none_of(findings.begin(), findings.end(),
                   [&](const Finding& f) { return f.severity == severity; }))
    return;
  text += fmt::format("{}\n", title);
  for (const Finding& finding : findings) {
    if (finding.severity == severity) add_finding(text, finding);
  }
}

}  // namespace

profiling::diagnosis::DiagnosisInput diagnosis_input(const model::Recording& recording,
                                                     const model::Measurement& measurement,
                                                     const search::analysis::ParameterEffects* effects,
                                                     const kernel_templates::KernelInstance* instance,
                                                     const std::filesystem::path& compile_cache) {
  profiling::diagnosis::DiagnosisInput input;
  input.gpu = recording.subject.gpu;
  input.measurement = measurement;
  input.problem = recording.subject.problem;
  input.work = recording.work;
  input.roofs = recording.roofs;
  input.effects = effects;
  if (instance != nullptr) {
    const auto resources = std::make_shared<CompiledResources>(*instance, recording, compile_cache);
    input.resources_of = [resources](const model::NamedValues& configuration) {
      return (*resources)(configuration);
    };
  }
  return input;
}

std::string diagnosis_text(const profiling::diagnosis::Diagnosis& diagnosis) {
  std::string text;
  add_section(text, diagnosis, Severity::kFault, "Faults");
  add_section(text, diagnosis, Severity::kHint, "Hints");
  add_section(text, diagnosis, Severity::kLimit, "Limits reached");
  if (text.empty())
    text = diagnosis.unchecked.empty() ? "Nothing was found.\n"
                                       : "Nothing was found by the rules that could be checked.\n";
  if (diagnosis.unchecked.empty()) return text;
  if (diagnosis.unchecked.size() > kFewUnchecked) {
    std::vector<std::string> rules;
    rules.reserve(diagnosis.unchecked.size());
    for (const profiling::diagnosis::UncheckedRule& rule : diagnosis.unchecked) rules.push_back(rule.rule);
    text += fmt::format("Not checked, for lack of counters that `warptune profile` reads:\n  {}\n",
                        fmt::join(rules, ", "));
    return text;
  }
  text += "Not checked, for lack of counters:\n";
  for (const profiling::diagnosis::UncheckedRule& rule : diagnosis.unchecked)
    text += fmt::format("  {}: {}\n", rule.rule, fmt::join(rule.metrics, ", "));
  return text;
}

}  // namespace warptune::tuner::text_output
