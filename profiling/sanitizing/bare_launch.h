#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel_templates/compiler.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::profiling::sanitizing {

/// Launches a configuration once, for a program that checks the memory accesses of kernels. Each buffer is an
/// allocation of exactly its size. Outputs, and scratch that need not be zero, are not written before the
/// launch. The process launches no other kernels, so whatever such a program finds belongs to the
/// configuration, or to a library that its host program calls. `ordinal` is the CUDA number of the GPU, and
/// `seed` generates the inputs.
///
/// Returns why the launch failed, or std::nullopt. Outputs are not verified. A process may call this once.
/// Throws `base::MachineError` when there is no GPU or too little memory, and `base::InputError` when the
/// arguments cannot be resolved.
std::optional<std::string> launch_bare(const kernel_templates::KernelInstance& instance,
                                       const model::NamedValues& configuration,
                                       const kernel_templates::CompiledKernel& compiled, int ordinal,
                                       std::uint64_t seed);

}  // namespace warptune::profiling::sanitizing
