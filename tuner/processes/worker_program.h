// Which program workers run, and in which environment.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tuner/confinement/sandbox.h"
#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::processes {

/// The program that workers run: that of `ForeignWorkers`, or `$WARPTUNE_WORKER` (for tests, which run in
/// another program), or that of `set_worker_program`, otherwise this one.
std::string worker_program();
/// For a library in another program, such as Python: the path of the program `warptune`. It must be called
/// before the first worker starts.
void set_worker_program(const std::string& path);

/// Serves a GPU worker's end of a socket until the other end closes.
using GpuLoop = std::function<void(protocol::FileDescriptor)>;

/// The environment variables of this process, each as `NAME=VALUE`. No other thread may change them
/// meanwhile.
std::vector<std::string> copy_of_environment();

/// For a session in a program that is not warptune. As long as the object lives, workers that the calling
/// thread starts run `program` in the given environment, and log nothing. The program may change its own
/// environment meanwhile, because the workers do not read it. The thread must outlive them, because the
/// operating system kills a worker when the thread ends that started it.
///
/// With a `gpu_loop`, GPU workers are threads of the program that run this function. Nothing is isolated
/// then: a fault of a kernel destroys the program's CUDA context, and a kernel that hangs blocks the session
/// forever.
class ForeignWorkers {
 public:
  ForeignWorkers(std::string program, std::vector<std::string> environment, GpuLoop gpu_loop = {});
  ~ForeignWorkers();
  ForeignWorkers(const ForeignWorkers&) = delete;
  ForeignWorkers& operator=(const ForeignWorkers&) = delete;
};

/// The function of `ForeignWorkers` for GPU workers of the calling thread. Empty if they are processes.
const GpuLoop& foreign_gpu_loop();
/// The environment of a worker that the calling thread starts. A compile worker, which has a sandbox, gets
/// only the variables that NVRTC and the search for the toolkit read, and warptune's own.
std::vector<std::string> worker_environment(const confinement::Sandbox* sandbox);
/// Whether a worker that the calling thread starts writes to the log. A compile worker reports errors to the
/// coordinator, so its log has only details.
bool worker_logs(const confinement::Sandbox* sandbox);

}  // namespace warptune::tuner::processes
