#pragma once

#include "base/cancellation.h"

namespace warptune::base {

/// From construction to destruction SIGINT and SIGTERM cancel what asks `cancellation()`; a second one ends
/// the program at once. One at a time. For programs; a library leaves signals alone.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  const Cancellation& cancellation() const;
};

}  // namespace warptune::base
