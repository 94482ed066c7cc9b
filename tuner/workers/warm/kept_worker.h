#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::warm {

/// A worker of the pool.
struct KeptWorker {
  std::uint64_t number = 0;
  protocol::Borrow asked;  ///< What it was started for.
  std::vector<std::filesystem::path> readable;
  std::unique_ptr<confinement::ScratchFolder> scratch;  ///< Removed after the end of the process.
  processes::WorkerProcess process;
  protocol::FileDescriptor pidfd;
  int session = -1;          ///< The descriptor of the connection; -1: it is idle.
  bool has_greeted = false;  ///< A session has read its `Hello`.
  std::chrono::steady_clock::time_point idle_since{};

  bool is_idle() const { return session < 0; }
  /// Whether a new worker for this question would be equal to it, except for the limit of memory.
  bool serves(const protocol::Borrow& question, const std::vector<std::filesystem::path>& folders) const;
  /// Whether it is idle and of no use: it has sent something, has ended, or its scratch folder was removed.
  bool is_spoilt();
  /// Its resident memory, in bytes.
  std::uint64_t resident_bytes() const;
};

/// What identifies the files of these names, the working directory first. It changes if a folder is removed
/// and made again. The worker's rules of Landlock belong to the former folder then.
std::vector<std::string> identities_of(const std::filesystem::path& working_directory,
                                       const std::vector<std::filesystem::path>& readable);

/// Whether reading would not wait: something has arrived, or the other end is closed.
bool is_readable(int descriptor);

}  // namespace warptune::tuner::workers::warm
