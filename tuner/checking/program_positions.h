#pragma once

#include <string>

#include "base/error.h"
#include "kernel_templates/kernel_definition.h"
#include "tuner/checking/compiler_messages.h"
#include "tuner/checking/definition_check.h"

/// Where a definition says what a program consists of.
namespace warptune::tuner::checking {

/// The variant of a program's configuration; null if there is none.
const kernel_templates::Variant* variant_of(const kernel_templates::KernelDefinition& definition,
                                            const CheckedProgram& program);

/// The position of the main entry: in `[kernel]`, in a variant, or in `[check]`.
base::SourcePosition entry_position(const kernel_templates::KernelDefinition& definition,
                                    const CheckedProgram& program);

/// The position of one of the program's launches: that of its entry.
base::SourcePosition launch_position(const kernel_templates::KernelDefinition& definition,
                                     const CheckedProgram& program, const std::string& entry);

/// The position of the block of the main launch; that of the main entry if there is a host program.
base::SourcePosition block_position(const kernel_templates::KernelDefinition& definition,
                                    const CheckedProgram& program);

/// The position of the argument that a reason quotes, or else of the entry of `[kernel]`.
base::SourcePosition argument_position(const kernel_templates::KernelDefinition& definition,
                                       const std::string& reason);

/// What the compiler was asked for. `what` names the program in messages.
FailedProgram asked_names(const kernel_templates::KernelDefinition& definition, const CheckedProgram& program,
                          const std::string& what);

}  // namespace warptune::tuner::checking
