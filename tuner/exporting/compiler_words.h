#pragma once

#include <string>
#include <vector>

#include "kernel_templates/kernel_definition.h"
#include "model/gpu_description.h"

namespace warptune::tuner::exporting {

/// The compiler options with which nvcc compiles a configuration's source, beside the macros of its
/// parameters: language, types, defines, flags, and the architecture if the code is for one only. Throws
/// `base::InputError` if the configuration has no program.
std::vector<std::string> compiler_words(const kernel_templates::KernelDefinition& definition,
                                        const model::NamedValues& problem, const model::GpuDescription& gpu,
                                        const model::NamedValues& configuration);

}  // namespace warptune::tuner::exporting
