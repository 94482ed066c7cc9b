#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tuner/session_data.h"

namespace warptune::tuner::testing {

/// How a program ended and what it printed.
struct ProgramRun {
  int exit_code = -1;  ///< -1: ended by a signal.
  int signal = 0;
  std::string out;
  std::string err;
};

/// Runs the built warptune with a home of its own and no GPU.
class Warptune {
 public:
  /// Runs it to its end.
  ProgramRun run(const std::vector<std::string>& arguments);
  /// Runs a shell command in which $WARPTUNE is the program.
  ProgramRun shell(const std::string& command);
  /// Starts it; `wait` gives how it ended.
  pid_t start(const std::vector<std::string>& arguments);
  ProgramRun wait(pid_t pid) const;
  /// Runs it and parses what it printed; fails the test when it does not end well.
  nlohmann::json json_of(std::vector<std::string> arguments);
  /// The only session of `tune`, run as JSON.
  nlohmann::json tuned(std::vector<std::string> arguments);

  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const TemporaryFolder& folder() const { return folder_; }
  std::filesystem::path database() const { return folder_ / "data" / "warptune" / "warptune.db"; }
  /// Writes `text` as a file and returns its path.
  std::string file(const std::string& name, const std::string& text) const;

  std::map<std::string, std::string> variables;  ///< Beside the usual ones.

 private:
  pid_t start_program(const std::string& program, const std::vector<std::string>& arguments);

  TemporaryFolder folder_;
};

/// Processes whose parent is `parent`.
std::vector<pid_t> children_of(pid_t parent);

std::string slurp(const std::filesystem::path& path);

}  // namespace warptune::tuner::testing
