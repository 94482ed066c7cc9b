// Starts a program in the foreground, as a shell does, and waits for its end.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace warptune::survey::collecting {

/// How a program ended: with an exit code or by a signal.
struct ProgramEnd {
  pid_t pid = 0;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

/// Runs a program with this process's input, output and folder, and with these variables in addition to its
/// own. The program is searched for in `PATH`. While it runs, SIGINT, SIGTERM, SIGQUIT and SIGHUP do not end
/// this process. One that another process sends is sent on to the program; one of a terminal has reached it
/// already. Throws `base::InputError` if the program cannot be started. There may be only one call at a time.
ProgramEnd run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables);

}  // namespace warptune::survey::collecting
