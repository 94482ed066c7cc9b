#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

namespace warptune::db::testing {

/// Runs `work` in a child process and kills it after `delay` with SIGKILL, whether `work` has ended or not.
/// Exceptions of `work` are ignored. Returns when the child has ended.
inline void run_and_kill(std::chrono::microseconds delay, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (...) {
    }
    ::pause();
    ::_exit(0);
  }
  std::this_thread::sleep_for(delay);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

}  // namespace warptune::db::testing
