#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "tuner/confinement/scratch_folder.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers::warm {

/// A worker of the pool.
struct KeptWorker {
  std::uint64_t number = 0;
  protocol::Borrow asked;  ///< It serves only those who ask for the same, except for the limit of memory.
  std::vector<std::filesystem::path> readable;
  std::unique_ptr<confinement::ScratchFolder> scratch;  ///< Removed after the end of the process.
  processes::WorkerProcess process;
  protocol::FileDescriptor pidfd;
  int session = -1;          ///< The descriptor of the connection; -1: it is idle.
  bool has_greeted = false;  ///< A session has read its `Hello`.
  std::chrono::steady_clock::time_point idle_since{};

  bool is_idle() const { return session < 0; }
  /// Whether it has sent something, or has ended. An idle worker that has is of no use.
  bool has_stirred();
  /// Its resident memory, in bytes.
  std::uint64_t resident_bytes() const;
};

/// Whether reading would not wait: something has arrived, or the other end is closed.
bool is_readable(int descriptor);

}  // namespace warptune::tuner::workers::warm
