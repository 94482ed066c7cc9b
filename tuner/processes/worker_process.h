#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "tuner/confinement/sandbox.h"
#include "tuner/processes/worker_output.h"
#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::processes {

/// What a worker finds at the numbers of descriptors; those past them are closed.
inline constexpr int kChannelDescriptor = 3;
inline constexpr int kLogDescriptor = 4;  ///< Where its log goes; closed where it is to log nothing.

/// A worker: this program started hidden, with one end of a socket pair. Killed and reaped when the object
/// goes; the kernel kills it when its parent ends. It inherits no other descriptor, and what it prints is
/// kept for `printed`.
class WorkerProcess {
 public:
  /// A GPU worker; `name` shows in its log lines. Throws `base::MachineError` when it cannot be started.
  explicit WorkerProcess(const std::string& name);
  /// A compile worker, which enters the sandbox before it reads anything. Of the environment it gets what
  /// NVRTC and the search for the toolkit read.
  WorkerProcess(const std::string& name, const confinement::Sandbox& sandbox);
  ~WorkerProcess();
  WorkerProcess(WorkerProcess&& other) noexcept;
  WorkerProcess& operator=(WorkerProcess&& other) noexcept;

  protocol::MessageChannel& channel() { return channel_; }
  /// Nothing that it sends is read any more: it sent what nobody asked for.
  void distrust(const std::string& what) { distrust_ = what; }
  /// Why it is not to be listened to: what it sent that is no message, or that nobody asked for; empty when
  /// all was well.
  std::string problem() const;
  /// Ends it at once and says how it had ended: "exit code 1", "signal 11 (Segmentation fault)", what it had
  /// sent that is no message or not asked for, or "killed" when it still ran.
  std::string end();
  bool has_ended() const { return pid_ < 0; }
  /// Closes the conversation, upon which the worker ends by itself; waits for nothing.
  void ask_to_end();
  /// Kills it; waits for nothing.
  void kill();
  /// What it printed since the last call (`WorkerOutput::take`), also once it has ended.
  std::string printed() { return output_.take(); }
  /// Kills it once it has used this much more of a processor's time than now.
  void allow_cpu(std::chrono::seconds time);
  /// The most memory it ever held (resident bytes), known after `end`.
  std::uint64_t peak_bytes() const { return peak_bytes_; }

 private:
  void start(const std::string& role, const std::string& name, const confinement::Sandbox* sandbox);
  std::string reap();

  pid_t pid_ = -1;
  WorkerOutput output_;
  std::uint64_t peak_bytes_ = 0;
  protocol::MessageChannel channel_;
  std::string distrust_;
};

/// The program that workers run: `$WARPTUNE_WORKER` (for tests, whose own program is another), else this one.
std::string worker_program();

}  // namespace warptune::tuner::processes
