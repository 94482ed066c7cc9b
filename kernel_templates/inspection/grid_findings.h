#pragma once

#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::inspection {

/// Errors of grids that do not cover the problem, because a division of a problem size drops a remainder. An
/// error is reported only where nothing else can process the rest:
/// * The kernel does not read the size of its grid, so it has no loop over the grid.
/// * No other launch uses a buffer that this kernel reads, or writes one that it writes.
/// * There is no `[host]` program.
Findings uncovered_sizes(const KernelInstance& instance, const std::vector<SourceFacts>& sources,
                         const std::vector<model::NamedValues>& configurations);

}  // namespace warptune::kernel_templates::inspection
