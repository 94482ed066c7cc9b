#pragma once

#include <filesystem>

#include "tuner/protocol/message_channel.h"

namespace warptune::tuner::confinement {

/// A folder for the files that compilers write while they work, below the system's folder for temporary
/// files. The destructor removes it with its content. If a process was killed, its folder is removed when a
/// process makes the next one.
class ScratchFolder {
 public:
  /// Makes the folder. `path` is empty if that fails. Looking for abandoned folders takes time if there are
  /// many temporary files.
  explicit ScratchFolder(bool removes_abandoned = true);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  protocol::FileDescriptor lock_;  ///< Locked as long as the folder is used.
};

}  // namespace warptune::tuner::confinement
