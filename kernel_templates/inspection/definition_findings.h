#pragma once

#include <vector>

#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/inspection/source_facts.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::inspection {

/// The findings that follow from the texts of a definition and of its sources: entries that do not exist,
/// names that nothing uses, and the warnings of `warnings_of`.
Findings text_findings(const KernelDefinition& definition, const std::vector<SourceFacts>& sources);

/// Warnings about conditions of parameters whose value for one of `configurations` is a number.
Findings numeric_conditions(const KernelInstance& instance,
                            const std::vector<model::NamedValues>& configurations);

/// Warnings about recommendations that would be passed over without a word for the problem and the GPU. There
/// is one for each cost that cannot be computed although the condition holds. Another one says that
/// recommendations hold but none can be used. If only the GPU is the reason, it is left out.
Findings recommendation_findings(const KernelInstance& instance);

/// Errors of the launches of one configuration: expressions without a usable value, and launches that exceed
/// the limits of the GPU. The reference's launch is one of them. The steps of a `[host]` program are not
/// inspected one by one: an error has the position of the first step.
Findings launch_findings(const KernelInstance& instance, const model::NamedValues& configuration);

}  // namespace warptune::kernel_templates::inspection
