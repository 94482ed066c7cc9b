#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::kernel_templates::inspection {

/// Compares what a launch passes with the parameters of the compiled kernel: their number, their sizes, and
/// their kinds where the kernel's symbol contains the types. `position` is that of the entry. A pointer to
/// elements of another type than the argument's is an error if both are floating-point types, and a warning
/// otherwise. Integer types of the same size count as the same type. A parameter that points to bytes, or to
/// unsigned integers of the same size, fits any type.
Findings argument_findings(const KernelDefinition& definition, const std::vector<ResolvedArgument>& arguments,
                           const LaunchStep& step, const CompiledKernel& compiled,
                           const base::SourcePosition& position);

}  // namespace warptune::kernel_templates::inspection
