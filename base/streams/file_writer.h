#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace warptune::base::streams {

/// Writes a file piece by piece. The file gets its name when it is complete, so that a reader sees either the
/// old or the new content. Until then it has another name in the same folder. Follows links, and writes into
/// devices and pipes directly.
class FileWriter {
 public:
  /// Throws `InputError` if `path` is a folder or lies in a missing folder, and `MachineError` with the
  /// system's reason for any other failure.
  explicit FileWriter(const std::filesystem::path& path);
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  /// Removes what was written, unless `finish` was called.
  ~FileWriter();

  /// Throws `MachineError` with the system's reason.
  void add(std::string_view bytes);
  /// Gives the file its name. Throws `MachineError` with the system's reason.
  void finish();

 private:
  std::filesystem::path path_;    ///< As the caller gave it. Messages name it.
  std::filesystem::path target_;  ///< Without links. It is empty for a device or a pipe.
  std::string beside_;            ///< The file's name until it is complete.
  int descriptor_ = -1;
};

}  // namespace warptune::base::streams
