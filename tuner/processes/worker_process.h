#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "tuner/confinement/sandbox.h"
#include "tuner/processes/worker_output.h"
#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::processes {

/// The numbers of the descriptors that a worker inherits. All higher ones are closed.
inline constexpr int kChannelDescriptor = 3;
inline constexpr int kLogDescriptor = 4;  ///< For the worker's log. Closed if the worker logs nothing.

/// A worker that the pool of warm workers has started and lends to this process (tuner/workers/warm).
struct LentProcess {
  std::uint64_t number = 0;  ///< The pool's number of the worker.
  pid_t pid = -1;
  protocol::FileDescriptor process;  ///< The descriptor of pidfd_open(2).
  protocol::FileDescriptor socket;
  WorkerOutput output;
  bool has_greeted = false;  ///< Its `Hello` was read by an earlier session.
};

/// A worker process: `worker_program()`, started with the hidden command `worker` and one end of a socket
/// pair. The destructor ends it as `end` does, and the operating system kills it when its parent ends. The
/// worker inherits no descriptors except those above. What it prints is kept for `printed`.
class WorkerProcess {
 public:
  /// Starts a GPU worker; `name` appears in its log lines. Throws `base::MachineError` when it cannot be
  /// started.
  explicit WorkerProcess(const std::string& name);
  /// Starts a compile worker, which enters the sandbox before it reads anything. Its environment has only the
  /// variables that NVRTC and the search for the toolkit read.
  WorkerProcess(const std::string& name, const confinement::Sandbox& sandbox);
  /// A worker that another process has started. It is killed where another one is ended, because only that
  /// process can wait for it.
  explicit WorkerProcess(LentProcess lent);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  protocol::MessageChannel& channel() { return channel_; }
  /// Stops reading messages, because the worker sent `what` without a request.
  void distrust(const std::string& what) { distrust_ = what; }
  /// Why messages of the worker are not read any more: it sent something that is not a message, or that was
  /// not asked for. Empty while all is well.
  std::string problem() const;
  /// Ends it and returns how it ended, such as "exit code 1" or "signal 11 (Segmentation fault)". A worker
  /// that does not end within about 0.3 s is killed, and the result is "killed". If there is a `problem()`,
  /// it is killed at once, and the result is the problem. Throws `base::MachineError` if the worker program
  /// has another version, because no worker of it can be used.
  std::string end();
  bool has_ended() const { return pid_ < 0 && !thread_.joinable(); }
  /// Closes the socket, so that the worker ends by itself. Does not wait.
  void ask_to_end();
  /// Kills it. Does not wait. A thread (`ForeignWorkers`) cannot be killed, and is only asked to end.
  void kill();
  /// What it printed since the last call (`WorkerOutput::take`). Also works after its end.
  std::string printed() { return output_.take(); }
  /// Limits the CPU time that it may still use. The operating system kills it after that.
  void allow_cpu(std::chrono::seconds time);
  /// Limits its data. Only for a worker whose sandbox has `adjustable_memory`. Returns false if that fails.
  bool limit_memory(std::uint64_t bytes);
  /// Whether another process has started it.
  bool is_lent() const { return pidfd_.get() >= 0; }
  /// Lets go of a lent worker without ending it. Returns the pool's number of it.
  std::uint64_t let_go();
  /// What identifies the process to the kernel, or -1 if it has ended.
  pid_t id() const { return pid_; }
  /// The descriptor of the file with what it prints.
  int output_descriptor() const { return output_.descriptor(); }
  /// The maximum of its resident memory, in bytes. Known after `end`.
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  void start(const std::string& role, const std::string& name, const confinement::Sandbox* sandbox);
  void start_thread();
  std::string stop();
  std::string reap();

  pid_t pid_ = -1;
  std::thread thread_;              ///< Instead of a process, with the `gpu_loop` of `ForeignWorkers`.
  protocol::FileDescriptor pidfd_;  ///< The process of a lent worker.
  std::uint64_t lent_number_ = 0;
  bool leads_group_ = false;  ///< The programs that it starts are in its group, and are killed with it.
  WorkerOutput output_;
  std::uint64_t peak_bytes_ = 0;
  protocol::MessageChannel channel_;
  std::string distrust_;
};

}  // namespace warptune::tuner::processes
