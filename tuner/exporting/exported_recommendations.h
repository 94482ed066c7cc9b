#pragma once

#include "db/header_export.h"
#include "kernel_templates/kernel_definition.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/exporting/exported_programs.h"

namespace warptune::tuner::exporting {

/// Adds what a definition recommends (`[[recommended]]`), and the limits of a GPU that the launches of such a
/// configuration must keep: threads per block, and dynamic shared memory per block. A host program has no
/// such limits here.
void add_recommendations(db::ExportInput& input, const kernel_templates::KernelDefinition& definition);

/// Whether the program of a recommended configuration for an instance can be chosen and is sure to compile.
/// Its condition must be possible for the types of the problem, and the values must meet the constraints on
/// the GPU. What depends on sizes that are not a part of the program is not asked: `select` asks it.
bool may_be_chosen(const kernel_templates::KernelInstance& instance,
                   const db::ExportedRecommendation& recommendation, const ExportedProgram& program);

}  // namespace warptune::tuner::exporting
