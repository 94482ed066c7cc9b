#pragma once

#include <cstdint>
#include <vector>

#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::checking {

/// A small problem for which a kernel is run on the host.
struct SmallProblem {
  kernel_templates::KernelInstance instance;
  std::uint64_t seed = 1;  ///< The seed of the inputs.
  /// Whether its sizes are primes. A wrong result at such sizes is only a warning, because a kernel may need
  /// sizes with certain factors.
  bool ragged = false;
  std::vector<model::NamedValues> configurations;  ///< Those given that are valid for this problem.
};

/// Problems of a definition that are small enough for the host: a reduced one, those of `[check] cases`, and
/// one with primes as sizes. `sizes` replace entries of the definition's problem. Problems for which none of
/// `configurations` is valid are left out. In the reduced problem, powers of two stay powers of two, and
/// other sizes keep their largest factor that is a power of two. A kernel that relies only on such factors
/// is therefore correct for the reduced problem if it is correct for the original one. If contents are in
/// files, there is only the problem to which they belong, if it is small enough.
std::vector<SmallProblem> small_problems(const kernel_templates::KernelDefinition& definition,
                                         const model::NamedValues& sizes, const model::GpuDescription& gpu,
                                         const std::vector<model::NamedValues>& configurations);

}  // namespace warptune::tuner::checking
