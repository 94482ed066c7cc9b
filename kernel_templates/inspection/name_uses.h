#pragma once

#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::inspection {

/// Warnings about parameters, defines and problem entries that nothing uses. Constraints are a use of a
/// problem entry, but not of a parameter: a parameter that only constraints name changes no program and no
/// launch.
Findings unused_names(const KernelDefinition& definition, const std::vector<SourceFacts>& sources);

}  // namespace warptune::kernel_templates::inspection
