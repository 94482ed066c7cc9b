#pragma once

#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::inspection {

/// An error for each entry (a kernel function that the definition names) whose name occurs nowhere in its
/// source or in the files that the source includes. The message names the kernels that exist. There is no
/// error for a name that has a placeholder, or that a macro may form. So no correct definition is refused. If
/// the definition has variants, the launches before and after the kernel are not checked, because the variant
/// determines their source.
Findings entry_findings(const KernelDefinition& definition, const std::vector<SourceFacts>& sources);

/// Throws the first of `entry_findings` as `base::InputError`. Commands that compile call it first, because
/// NVRTC's message about such an entry is hard to read.
void require_entries(const KernelDefinition& definition);

}  // namespace warptune::kernel_templates::inspection
