#pragma once

#include <chrono>

#include "base/cancellation.h"

namespace warptune::base {

/// While this object lives, SIGINT, SIGTERM and SIGHUP request cancellation through `cancellation()`. A
/// second SIGINT ends the program at once. So does a SIGTERM that comes at least `kPatience` after the first
/// signal: launchers of jobs often send SIGTERM to a process and to its group at the same time. A SIGHUP that
/// is ignored (`nohup`) stays ignored. There may be only one such object at a time. It is meant for programs:
/// a library must not change signal handlers.
class InterruptGuard {
 public:
  static constexpr std::chrono::milliseconds kPatience{5000};

  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const Cancellation& cancellation() const;
  /// Requests cancellation as a signal does.
  void interrupt();
  /// The first signal since the object was made; 0: none.
  int signal() const;
};

}  // namespace warptune::base
