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

/// A warning if the contents in files do not fit the problem (`require_contents_fit`). Compiling needs no
/// contents. If they are `needed`,
/// because the kernel runs, or if the right outputs are in files, the error is thrown instead.
Findings contents_findings(const KernelInstance& instance, bool needed);

}  // namespace warptune::kernel_templates::inspection
