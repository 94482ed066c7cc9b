#pragma once

#include "db/header_export.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::exporting {

/// Adds what a definition recommends (`[[recommended]]`), and the limits of a GPU that the launches of such a
/// configuration must keep: threads per block, and dynamic shared memory per block. A host program has no
/// such limits here.
void add_recommendations(db::ExportInput& input, const kernel_templates::KernelDefinition& definition);

}  // namespace warptune::tuner::exporting
