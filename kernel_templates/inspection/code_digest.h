#pragma once

#include <string>

#include "kernel_templates/compiler.h"
#include "kernel_templates/launch_plan.h"

namespace warptune::kernel_templates::inspection {

/// A hash of the machine code that a plan launches: 32 hexadecimal digits. If two digests are equal, the
/// launches execute the same instructions at the same addresses of their functions, with the same constants,
/// initial values, memory and parameters.
///
/// It depends neither on comments, formatting and line numbers nor on the names of kernels, variables and
/// parameters. Other functions that are not inlined are placed by their names, so their names do matter. It
/// also depends on strings in the code, such as those of `printf` and `assert`. Debug information is left
/// out.
///
/// Throws `base::InputError` if `compiled` has no machine code that can be read, or lacks an entry of `plan`.
std::string code_digest(const CompiledKernel& compiled, const LaunchPlan& plan);

}  // namespace warptune::kernel_templates::inspection
