#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::processes {

/// Where a worker's standard output and error go, with all that its libraries and the kernels on its GPU
/// print: a file in memory that never grows past its bound, so that printing neither waits for anybody nor
/// fills anything. Both ends see it: the worker while it lives, the coordinator also afterwards.
class WorkerOutput {
 public:
  static constexpr std::size_t kKeptBytes = 4096;  ///< Of one text.

  /// A new one, for a worker to be started. Where the kernel has no such files all of it is dropped.
  static WorkerOutput make();
  /// The one that this process prints to; one that is always empty where its output goes elsewhere.
  static WorkerOutput of_this_process();

  int descriptor() const { return descriptor_.get(); }
  /// What was printed since the last call, its first `kKeptBytes`, with control characters and bytes that are
  /// no ASCII as '?'. Ends with how many bytes there were where that is not all.
  std::string take();

 private:
  WorkerOutput(protocol::FileDescriptor descriptor, bool is_ours)
      : descriptor_(std::move(descriptor)), is_ours_(is_ours) {}

  protocol::FileDescriptor descriptor_;
  bool is_ours_;  ///< What this process itself prints.
};

/// `reason` and what was printed, as the reason of a row. Empty where both are.
std::string with_printed(const std::string& reason, const std::string& printed);

}  // namespace warptune::tuner::processes
