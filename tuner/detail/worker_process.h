#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::detail {

/// A worker: this program started hidden, with one end of a socket pair. Killed and reaped when the object
/// goes; it also ends by itself when its parent does.
class WorkerProcess {
 public:
  /// `role` is "compile" or "gpu"; `name` shows in its log lines. Throws `base::MachineError` when it cannot
  /// be started.
  WorkerProcess(const std::string& role, const std::string& name);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  protocol::MessageChannel& channel() { return channel_; }
  /// Ends it at once and says how it had ended: "exit code 1", "signal 11 (Segmentation fault)", what it had
  /// sent that is no message, or "killed" when it still ran.
  std::string end();
  /// Closes the conversation, upon which the worker ends by itself; waits for nothing.
  void ask_to_end();
  /// Kills it; waits for nothing.
  void kill();
  /// The most memory it ever held (resident bytes), known after `end`.
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  std::string reap();

  pid_t pid_ = -1;
  std::uint64_t peak_bytes_ = 0;
  protocol::MessageChannel channel_;
};

/// The program that workers run: `$WARPTUNE_WORKER` (for tests, whose own program is another), else this one.
std::string worker_program();

}  // namespace warptune::tuner::detail
