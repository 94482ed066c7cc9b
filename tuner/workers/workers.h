#pragma once

#include <string>
#include <vector>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::workers {

/// Runs a worker process, which was started as `worker ARGUMENT...`. The arguments are its role ("compile" or
/// "gpu"), the descriptor of its end of the socket pair, its name, and what confines it
/// (`confinement::arguments_of`). It ends when the other end closes, and returns the exit code. `launch FILE`
/// is a worker without a socket (`launch_from_file`), and `pool LISTENER LOCK SECONDS` is the pool of warm
/// compile workers (`warm::serve_pool`). Throws `base::InputError` for other arguments.
int run_worker(const std::vector<std::string>& arguments);

/// Serves as a GPU worker until the other end of the socket closes. Returns the exit code of a worker.
int serve_gpu(protocol::FileDescriptor descriptor);

}  // namespace warptune::tuner::workers
