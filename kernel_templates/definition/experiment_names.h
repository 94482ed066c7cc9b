#pragma once

#include "kernel_templates/experiment.h"

namespace warptune::kernel_templates::definition {

/// Throws `base::InputError` at an expression that uses a table, row or quantity which the experiment does
/// not have, and at repeated ids. Parameters and metrics of kernels are not checked here.
void check_names(const Experiment& experiment);

}  // namespace warptune::kernel_templates::definition
