#pragma once

#include "kernel_templates/experiment.h"

namespace warptune::kernel_templates::definition {

/// Throws `base::InputError` at an expression that names a table, row or quantity which the experiment lacks,
/// and at ids that come twice. Names of kernels' parameters and metrics are not known here.
void check_names(const Experiment& experiment);

}  // namespace warptune::kernel_templates::definition
