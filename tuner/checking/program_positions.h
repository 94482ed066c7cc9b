#pragma once

#include <string>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/checking/compiler_messages.h"
#include "tuner/checking/definition_check.h"

/// Positions in a definition, for messages about a program that was made from it.
namespace warptune::tuner::checking {

/// The variant of a program's configuration; null if there is none.
const kernel_templates::Variant* variant_of(const kernel_templates::KernelDefinition& definition,
                                            const CheckedProgram& program);

/// The position of the main entry: in `[kernel]`, in a variant, or in `[check]`.
base::SourcePosition entry_position(const kernel_templates::KernelDefinition& definition,
                                    const CheckedProgram& program);

/// The position of the launch of `entry`; that of the main entry if no other launch has this entry.
base::SourcePosition launch_position(const kernel_templates::KernelDefinition& definition,
                                     const CheckedProgram& program, const std::string& entry);

/// The position of the argument whose name `reason` quotes, otherwise that of the entry of `[kernel]`.
base::SourcePosition argument_position(const kernel_templates::KernelDefinition& definition,
                                       const std::string& reason);

/// The position of why a program that was rejected can never be launched. That is an argument or the main
/// launch's block size; the main entry if there is a host program.
base::SourcePosition invalid_launch_position(const kernel_templates::KernelInstance& instance,
                                             const CheckedProgram& program);

/// The kernels and variables that NVRTC has to find. `what` names the program in messages.
FailedProgram asked_names(const kernel_templates::KernelDefinition& definition, const CheckedProgram& program,
                          const std::string& what);

}  // namespace warptune::tuner::checking
