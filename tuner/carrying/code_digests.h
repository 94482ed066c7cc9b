#pragma once

#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/result.h"
#include "kernel_templates/kernel_instance.h"
#include "model/value.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::carrying {

/// The digest of the code that a configuration launches, or the reason why there is none.
using Digest = base::Result<std::string>;

/// Digests of configurations (`kernel_templates::inspection::code_digest`), in their order. Programs that the
/// pool's cache has are not compiled. `compiled`, if it is given, is increased by the number of those that
/// were. Throws `base::WorkError` if it is cancelled.
std::vector<Digest> digests_of(const kernel_templates::KernelInstance& instance,
                               const std::vector<model::NamedValues>& configurations,
                               workers::compiling::CompilePool& pool, const base::Cancellation& cancellation,
                               std::size_t* compiled = nullptr);

/// The digest of the program that computes the right outputs. Empty if no program does.
Digest reference_digest(const kernel_templates::KernelInstance& instance,
                        workers::compiling::CompilePool& pool, const base::Cancellation& cancellation,
                        std::size_t* compiled = nullptr);

}  // namespace warptune::tuner::carrying
