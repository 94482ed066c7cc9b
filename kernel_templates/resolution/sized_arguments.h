#pragma once

#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// The arguments of the default configuration, or of the space's first configuration if there is no default.
/// All buffers except scratch buffers have the same sizes in every configuration. Throws `base::InputError`
/// if the sizes cannot be computed.
std::vector<ResolvedArgument> sized_arguments(const KernelInstance& instance);

}  // namespace warptune::kernel_templates::resolution
