// Work in a child process, for tests of what several processes do at the same time.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace warptune::tests {

/// Runs `work` in a child process, which ends without the clean-up of the parent. Its exit code is 1 if
/// `work` throws, and 0 otherwise. Returns the number of the child.
inline pid_t fork_with(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work();
  } catch (...) {
    ::_exit(1);
  }
  ::_exit(0);
}

/// Waits until the child has ended. Returns its status as waitpid(2) gives it.
inline int exit_status(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace warptune::tests
