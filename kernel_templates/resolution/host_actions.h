// Evaluates the single steps of a host program.
#pragma once

#include <optional>

#include "kernel_templates/resolution/host_scope.h"

namespace warptune::kernel_templates::resolution {

/// Evaluates what a launch passes, if it does not pass all arguments in order, and adds it to `step`. Returns
/// why the launch cannot run, if it cannot.
std::optional<model::Rejection> resolve_passed(const Launch& launch, const HostScope& scope,
                                               LaunchStep& step);

/// Rejects copies between different types, beyond the end of a buffer, and between overlapping ranges.
model::Outcome<CopyStep> resolve_copy(const HostCopy& copy, const HostScope& scope);

model::Outcome<FillStep> resolve_fill(const HostFill& fill, const HostScope& scope);

/// Rejects a buffer that is not in managed memory.
model::Outcome<PrefetchStep> resolve_prefetch(const HostPrefetch& prefetch, const HostScope& scope);

/// Rejects matrices that are larger than their buffers, and types that cuBLAS cannot multiply.
model::Outcome<MatrixProductStep> resolve_call(const HostCall& call, const HostScope& scope);

}  // namespace warptune::kernel_templates::resolution
