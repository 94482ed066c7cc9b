// Finds out why no configuration is valid.
#pragma once

#include "base/error.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::kernel_templates::resolution {

/// The error about a space without configurations. It names constraints that no configuration meets together,
/// as few as were found. `problem` is used only in the message. The constraints are evaluated with
/// `constants`, which are the problem and the device's attributes.
base::InputError empty_space(const KernelDefinition& definition, const model::NamedValues& problem,
                             const model::NamedValues& constants);

}  // namespace warptune::kernel_templates::resolution
