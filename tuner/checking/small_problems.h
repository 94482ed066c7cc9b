#pragma once

#include <cstdint>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::checking {

/// A small problem for which a kernel is run on the host.
struct SmallProblem {
  kernel_templates::KernelInstance instance;
  std::uint64_t seed = 1;  ///< The seed of the inputs.
  /// Its sizes are primes. A mistake at such sizes is a warning: a kernel may need sizes with certain
  /// factors.
  bool ragged = false;
  std::vector<model::NamedValues> configurations;  ///< The asked ones that are valid for this problem.
};

/// Problems of a definition that are small enough for the host: one with the divisibility of the problem's
/// own sizes, those of `[check] cases`, and one with primes. `sizes` replace entries of the problem. Problems
/// for which none of `configurations` is valid are left out. Powers of two stay powers of two, and other
/// sizes keep their largest power of two as a factor. So a kernel that is right for the problem's own sizes
/// is right for the first of these, unless it relies on more than that.
std::vector<SmallProblem> small_problems(const kernel_templates::KernelDefinition& definition,
                                         const model::NamedValues& sizes, const model::GpuDescription& gpu,
                                         const std::vector<model::NamedValues>& configurations);

}  // namespace warptune::tuner::checking
