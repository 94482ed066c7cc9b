#pragma once

#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::resolution {

/// The arguments of the default configuration, or of the first one if the definition names no default. All
/// buffers but scratch have the same sizes in every configuration. Throws `base::InputError` if the sizes
/// cannot be computed.
std::vector<ResolvedArgument> sized_arguments(const KernelInstance& instance);

}  // namespace warptune::kernel_templates::resolution
