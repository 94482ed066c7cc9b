#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::emulation {

/// The steps of a plan as statements of C++ that use `warptune_case` (the buffers) and `warptune_backward`.
/// `scalars` replace scalar arguments by name. A step that the host cannot emulate gives the reason, such as
/// "clusters".
base::Result<std::string> launches_text(const std::vector<ResolvedArgument>& arguments,
                                        const model::NamedValues& scalars, const LaunchPlan& plan);

}  // namespace warptune::kernel_templates::emulation
