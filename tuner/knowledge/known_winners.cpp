#include "tuner/knowledge/known_winners.h"

#include <algorithm>

namespace warptune::tuner::knowledge {

bool knows_other_source(const db::Store& store, const kernel_templates::KernelDefinition& definition) {
  const std::vector<db::Winner> any = store.winners(definition.name, "");
  return std::any_of(any.begin(), any.end(), [&](const db::Winner& winner) {
    return winner.workload.kernel_hash != definition.hash;
  });
}

bool is_valid_for(const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
                  const model::Measurement& evidence) {
  const base::Result<model::Configuration> chosen = instance.space().configuration_of(configuration);
  if (!chosen || !instance.space().contains(*chosen) || !instance.screened_plan(configuration)) return false;
  const model::ResourceUse& use = evidence.resources;
  const model::GpuDescription& gpu = instance.gpu();
  return use.static_shared_bytes + use.dynamic_shared_bytes <= gpu.shared_bytes_per_block_optin &&
         use.registers_per_thread * use.threads_per_block <= gpu.registers_per_sm;
}

}  // namespace warptune::tuner::knowledge
