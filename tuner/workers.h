#pragma once

#include <string>

namespace warptune::tuner {

/// The loop of a worker process: `role` is "compile" or "gpu", `descriptor` its end of the socket pair.
/// Returns the exit code. Ends when the other end closes.
int run_worker(const std::string& role, int descriptor);

}  // namespace warptune::tuner
