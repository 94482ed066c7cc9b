#include "tuner/knowledge/workload.h"

#include <fmt/format.h>

namespace warptune::tuner::knowledge {

bool is_same_subject(const model::Subject& a, const model::Subject& b) {
  return a.kernel_hash == b.kernel_hash && a.cache == b.cache && a.gpu.key() == b.gpu.key() &&
         model::key_of(a.problem) == model::key_of(b.problem);
}

model::Subject subject_of(const kernel_templates::KernelInstance& instance, model::CacheState cache) {
  return {instance.definition().name, instance.definition().hash, instance.problem(), instance.gpu(), cache};
}

void describe_subject(model::Recording& recording, const kernel_templates::KernelInstance& instance,
                      model::CacheState cache) {
  recording.subject = subject_of(instance, cache);
  recording.parameters = instance.space().parameters();
  recording.constraints = instance.space().constraints();
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
}

std::string heading_of(const model::Recording& recording) {
  const model::Subject& subject = recording.subject;
  std::string text = subject.kernel.empty() ? "a kernel without a name" : subject.kernel;
  if (!subject.problem.empty()) text += " " + model::to_text(subject.problem);
  text += " on " + (subject.gpu.name.empty() ? "a GPU without a name" : subject.gpu.name);
  if (!recording.listed) text += fmt::format(", timed from a {} L2 cache", model::to_string(subject.cache));
  return text;
}

}  // namespace warptune::tuner::knowledge
