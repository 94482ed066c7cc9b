#pragma once

#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"

namespace warptune::tuner::exporting {

/// The options with which nvcc compiles a configuration's source: language, types, defines, flags, and the
/// architecture if the code is for one only. The macros of its parameters are not included. Throws
/// `base::InputError` if no compile request can be made for the configuration.
std::vector<std::string> compiler_arguments(const kernel_templates::KernelDefinition& definition,
                                            const model::NamedValues& problem,
                                            const model::GpuDescription& gpu,
                                            const model::NamedValues& configuration);

}  // namespace warptune::tuner::exporting
