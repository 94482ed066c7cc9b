#pragma once

#include <filesystem>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::confinement {

/// A folder for what compilers write while they work, below the system's folder for such. Removed with all
/// that is in it when the object goes; one of a process that was killed is removed by the next that makes
/// one.
class ScratchFolder {
 public:
  /// Where none can be made `path` is empty.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  protocol::FileDescriptor lock_;  ///< Held as long as somebody uses it.
};

}  // namespace warptune::tuner::confinement
