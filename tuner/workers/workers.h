#pragma once

#include <string>
#include <vector>

namespace warptune::tuner::workers {

/// The loop of a worker process, started with `worker ARGUMENT...`: its role ("compile" or "gpu"), the
/// descriptor of its end of the socket pair, its name, and what confines it (`confinement::arguments_of`).
/// Returns the exit code. Ends when the other end closes. Throws `base::InputError` where the arguments are
/// no such.
int run_worker(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::workers
