#include "tuner/knowledge/workload.h"

#include <fmt/format.h>

#include "base/text.h"
#include "model/row_sources.h"

namespace warptune::tuner::knowledge {

bool is_same_workload(const model::Workload& a, const model::Workload& b) {
  return a.kernel_hash == b.kernel_hash && a.cache == b.cache && a.gpu.key() == b.gpu.key() &&
         model::key_of(a.problem) == model::key_of(b.problem);
}

model::Workload workload_of(const kernel_templates::KernelInstance& instance, model::CacheState cache) {
  return {instance.definition().name, instance.definition().hash, instance.problem(), instance.gpu(), cache};
}

std::string tune_command(const std::string& kernel, const model::NamedValues& problem,
                         model::CacheState cache) {
  std::string line = "warptune tune " + base::shell_word(kernel);
  for (const auto& [name, value] : problem)
    line += " --size " + base::shell_word(name + "=" + model::to_text(value));
  if (cache != model::CacheState::kCold && cache != model::CacheState::kUnknown)
    line += fmt::format(" --cache {}", model::to_string(cache));
  return line;
}

void describe_workload(model::Recording& recording, const kernel_templates::KernelInstance& instance,
                       model::CacheState cache) {
  recording.workload = workload_of(instance, cache);
  recording.parameters = instance.space().parameters();
  recording.constraints = instance.space().constraints();
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
}

model::RowSource source_of(const model::Recording& recording) {
  return model::best_source(recording.measurements).value_or(model::RowSource::kMeasured);
}

std::string heading_of(const model::Recording& recording) {
  const model::Workload& workload = recording.workload;
  std::string text = workload.kernel.empty() ? "a kernel without a name" : workload.kernel;
  if (!workload.problem.empty()) text += " " + model::to_text(workload.problem);
  text += " on " + (workload.gpu.name.empty() ? "a GPU without a name" : workload.gpu.name);
  text += fmt::format(", timed from {}", model::l2_text(workload.cache));
  const model::RowSource source = source_of(recording);
  if (source == model::RowSource::kReplayed) text += ", replayed from a recording";
  if (source == model::RowSource::kImported) text += ", imported from a file and not verified";
  return text;
}

}  // namespace warptune::tuner::knowledge
