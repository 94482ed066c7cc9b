#pragma once

#include <cstddef>

namespace warptune::tuner::evaluation {

/// How many more candidates an evaluator wants, so that neither its compile workers nor its GPUs wait. `tune`
/// and the simulated sessions of `replay` share this rule. Each compile worker has one program, and another
/// one waits behind it. Four compiled programs wait for each GPU.
std::size_t wanted_ahead(std::size_t compile_workers, std::size_t gpus, std::size_t pending);

}  // namespace warptune::tuner::evaluation
