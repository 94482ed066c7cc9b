#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// The rejection of a configuration that cannot be launched.
tl::unexpected<model::Rejection> invalid_launch(std::string reason);

/// Whether a condition holds over `scope`. A missing condition holds.
model::Outcome<bool> holds(const std::optional<model::Expression>& condition,
                           const model::NamedValues& scope);

/// Evaluates a launch over `scope`. `entry` is its name, which may have placeholders.
model::Outcome<LaunchStep> resolve_launch(const Launch& launch, const std::string& entry,
                                          const model::NamedValues& problem, const model::NamedValues& scope);

/// Returns the arguments of the configuration, or why there are none.
using ArgumentResolver = std::function<model::Outcome<std::vector<ResolvedArgument>>()>;

/// Evaluates the launches of a definition without a host program whose conditions hold. `main_entry` is that
/// of the main launch. `arguments` is called only if a launch does not pass all arguments in order.
model::Outcome<LaunchPlan> resolve_launches(const KernelDefinition& definition, const std::string& main_entry,
                                            const model::NamedValues& problem,
                                            const model::NamedValues& scope,
                                            const ArgumentResolver& arguments);

/// Evaluates a definition's host program. `scope` has the configuration. `entry` is used for launches of the
/// entry of `[kernel]`. Rejects accesses beyond the end of a buffer. Sets `fault`, unless it is null, to the
/// position of what cannot run.
model::Outcome<LaunchPlan> resolve_host_program(const KernelDefinition& definition, const std::string& entry,
                                                const model::NamedValues& problem,
                                                const model::NamedValues& scope,
                                                const std::vector<ResolvedArgument>& arguments,
                                                base::SourcePosition* fault = nullptr);

}  // namespace warptune::kernel_templates::resolution
