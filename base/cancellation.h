#pragma once

#include <atomic>

#include "base/error.h"

namespace warptune::base {

/// Ends a session early. Another thread or a signal handler may ask for it. The session notices it within a
/// tenth of a second, waits for what the GPU has begun, keeps everything that is finished, and returns.
class Cancellation {
 public:
  /// Returns true for the first request and false for every later one.
  bool cancel() noexcept { return !cancelled_.exchange(true); }
  bool is_cancelled() const noexcept { return cancelled_.load(); }
  /// For work of which no part is kept. Throws `WorkError` after a request.
  void throw_if_cancelled() const {
    if (is_cancelled()) throw WorkError("the work was cancelled");
  }
  /// Makes the object ready for another session.
  void reset() noexcept { cancelled_ = false; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
  std::atomic<bool> cancelled_{false};
};

}  // namespace warptune::base
