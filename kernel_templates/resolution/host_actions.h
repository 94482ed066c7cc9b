// The steps of a host program one by one: from their expressions to numbers.
#pragma once

#include "kernel_templates/resolution/host_scope.h"

namespace warptune::kernel_templates::resolution {

/// What a launch passes for one parameter of its kernel.
model::Outcome<PassedArgument> resolve_passed(const HostArgument& argument, const HostScope& scope);

/// Rejects copies between other types, past an end, and onto themselves.
model::Outcome<CopyStep> resolve_copy(const HostCopy& copy, const HostScope& scope);

model::Outcome<FillStep> resolve_fill(const HostFill& fill, const HostScope& scope);

/// Rejects matrices that their buffers are too small for, and types that cuBLAS does not multiply.
model::Outcome<MatrixProductStep> resolve_call(const HostCall& call, const HostScope& scope);

}  // namespace warptune::kernel_templates::resolution
