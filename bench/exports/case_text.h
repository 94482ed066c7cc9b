#pragma once

#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::bench {

/// The program of one case: it includes the exported file and `run_case.cuh`, and has the numbers of the
/// tool's own launches.
std::string case_text(const kernel_templates::KernelInstance& instance,
                      const model::NamedValues& configuration,
                      const std::vector<kernel_templates::ResolvedArgument>& arguments,
                      const kernel_templates::CompiledKernel& compiled);

}  // namespace warptune::bench
