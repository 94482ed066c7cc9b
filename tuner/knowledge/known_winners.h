#pragma once

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::knowledge {

/// Whether the database has measurements of the kernel, but of another version of its source.
bool knows_other_source(const db::Store& store, const kernel_templates::KernelDefinition& definition);

/// Whether a configuration that was measured elsewhere can run for `instance`: its constraints hold, and
/// threads, registers and shared memory suffice. `evidence` is the measurement elsewhere.
bool is_valid_for(const kernel_templates::KernelInstance& instance, const model::NamedValues& configuration,
                  const model::Measurement& evidence);

}  // namespace warptune::tuner::knowledge
