#pragma once

#include <atomic>

namespace warptune::tuner {

/// From construction to destruction SIGINT and SIGTERM set a flag; a second one ends the program at once. One
/// at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  static const std::atomic<bool>& flag();
};

}  // namespace warptune::tuner
