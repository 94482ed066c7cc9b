#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace warptune::library {

/// The file of the problems that a program asked for and for which no result matched exactly. Each line is a
/// command that tunes one of them, so the file is a shell script. Several processes may write the same file.
class AskedProblems {
 public:
  /// Reads the existing lines. The file is created if it does not exist. Throws `base::MachineError` if it
  /// cannot be written.
  explicit AskedProblems(const std::filesystem::path& path);

  /// Appends a line, unless the constructor has read it or this object has already added it. Throws
  /// `base::MachineError` if the file cannot be written.
  void add(const std::string& line);

 private:
  std::filesystem::path path_;
  std::set<std::string> lines_;
};

}  // namespace warptune::library
