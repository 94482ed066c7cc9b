#pragma once

#include "base/cancellation.h"

namespace warptune::base {

/// While this object lives, SIGINT, SIGTERM and SIGHUP request cancellation through `cancellation()`. A
/// second SIGINT or SIGTERM ends the program at once. A SIGHUP that is ignored (`nohup`) stays ignored. There
/// may be only one such object at a time. It is meant for programs: a library must not change signal
/// handlers.
class InterruptGuard {
 public:
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
