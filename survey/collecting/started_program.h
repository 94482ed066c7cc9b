// Starts a program in the foreground, as a shell does, and waits for its end.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
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

/// While such an object lives, SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2 and SIGALRM do not end this
/// process. One that another process sends is sent on to the program of `run_program`; one of a terminal has
/// reached it already. One that comes before the program is sent when it starts. One that comes after its end
/// is ignored, so that what was recorded is not lost. Such objects may be nested.
class ForwardedSignals {
 public:
  ForwardedSignals();
  ~ForwardedSignals();
  ForwardedSignals(const ForwardedSignals&) = delete;
  ForwardedSignals& operator=(const ForwardedSignals&) = delete;

 private:
  static constexpr std::array kSignals{SIGINT, SIGTERM, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

/// Whether one of these signals that asks a program to end (SIGINT, SIGTERM, SIGQUIT, SIGHUP) came since the
/// outermost `ForwardedSignals` began.
bool signal_came();

/// Where standard input is, so that a program can be run again with the same input.
class InputPlace {
 public:
  /// Remembers where standard input is now. It must be a regular file, else nothing is remembered.
  InputPlace();
  /// Goes back to that place. Nothing happens if none is remembered.
  void restore() const;

 private:
  std::optional<off_t> place_;
};

/// Runs a program with this process's input, output and folder, and with these variables in addition to its
/// own. The program is searched for in `PATH`. `ForwardedSignals` lives while it runs. Throws
/// `base::InputError` if the program cannot be started. There may be only one call at a time.
ProgramEnd run_program(const std::vector<std::string>& command, const std::vector<std::string>& variables);

}  // namespace warptune::survey::collecting
