#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::processes {

/// The standard output and standard error of a worker. Its libraries and the kernels on its GPU print there,
/// too. It is a file in memory with a fixed maximum size. Printing therefore never waits and never fills a
/// disk or memory. The worker reads it while it runs, and the coordinator can also read it afterwards.
class WorkerOutput {
 public:
  static constexpr std::size_t kKeptBytes = 4096;  ///< Maximum size of one text.

  /// Makes the output of a worker that will be started. If the operating system has no such files, everything
  /// printed is dropped.
  static WorkerOutput make();
  /// The output of a worker that another process made with `make`.
  static WorkerOutput of_lent_worker(protocol::FileDescriptor descriptor) {
    return {std::move(descriptor), false};
  }
  /// The output of this process. Always empty if this process was not started with such a file as its output.
  static WorkerOutput of_this_process();

  int descriptor() const { return descriptor_.get(); }
  /// The text printed since the last call, at most `kKeptBytes` of it. Control characters and bytes outside
  /// of ASCII become '?'. If the text is cut, it ends with the number of bytes that were printed.
  std::string take();

 private:
  WorkerOutput(protocol::FileDescriptor descriptor, bool is_ours)
      : descriptor_(std::move(descriptor)), is_of_this_process_(is_ours) {}

  protocol::FileDescriptor descriptor_;
  bool is_of_this_process_;  ///< This object holds what this process itself prints.
};

/// Joins `reason` and the printed text into the reason of a row. Empty if both are empty.
std::string with_printed(const std::string& reason, const std::string& printed);

}  // namespace warptune::tuner::processes
