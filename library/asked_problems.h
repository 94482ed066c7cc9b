#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace warptune::library {

/// The file of problems that a program asked for and that have no exact answer. Each line is a command that
/// tunes one of them, so the file is a shell script. Several processes may write one file.
class AskedProblems {
 public:
  /// Reads the lines that are there. The file is created if it does not exist. Throws `base::MachineError` if
  /// it cannot be written.
  explicit AskedProblems(const std::filesystem::path& path);

  /// Appends a line, unless the file had it at first or this object has added it. Throws `base::MachineError`
  /// if it cannot be written.
  void add(const std::string& line);

 private:
  std::filesystem::path path_;
  std::set<std::string> lines_;
};

/// A word of a shell command, in single quotes where that is needed.
std::string shell_word(const std::string& text);

}  // namespace warptune::library
