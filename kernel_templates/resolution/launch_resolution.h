#pragma once

#include <string>

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// A configuration that cannot be launched.
tl::unexpected<model::Rejection> invalid_launch(std::string reason);

/// Whether a condition holds over `scope`; also where there is none.
model::Outcome<bool> holds(const std::optional<model::Expression>& condition,
                           const model::NamedValues& scope);

/// The numbers of a launch over `scope`; `entry` is its name, with placeholders.
model::Outcome<LaunchStep> resolve_launch(const Launch& launch, const std::string& entry,
                                          const model::NamedValues& problem, const model::NamedValues& scope);

/// The steps of a definition's host program over `scope`, which holds the configuration. `entry` stands for
/// that of `[kernel]`. Rejects what reaches past a buffer's end.
model::Outcome<LaunchPlan> resolve_host_program(const KernelDefinition& definition, const std::string& entry,
                                                const model::NamedValues& problem,
                                                const model::NamedValues& scope,
                                                const std::vector<ResolvedArgument>& arguments);

}  // namespace warptune::kernel_templates::resolution
