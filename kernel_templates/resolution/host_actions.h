// Evaluates the single steps of a host program.
#pragma once

#include "kernel_templates/resolution/host_scope.h"

namespace warptune::kernel_templates::resolution {

/// The value that a launch passes for one parameter of its kernel.
model::Outcome<PassedArgument> resolve_passed(const HostArgument& argument, const HostScope& scope);

/// Rejects copies between different types, beyond the end of a buffer, and between overlapping ranges.
model::Outcome<CopyStep> resolve_copy(const HostCopy& copy, const HostScope& scope);

model::Outcome<FillStep> resolve_fill(const HostFill& fill, const HostScope& scope);

/// Rejects a buffer that is not in managed memory.
model::Outcome<PrefetchStep> resolve_prefetch(const HostPrefetch& prefetch, const HostScope& scope);

/// Rejects matrices that are larger than their buffers, and types that cuBLAS cannot multiply.
model::Outcome<MatrixProductStep> resolve_call(const HostCall& call, const HostScope& scope);

}  // namespace warptune::kernel_templates::resolution
