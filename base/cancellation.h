#pragma once

#include <atomic>

namespace warptune::base {

/// Ends a session early, from another thread or from a signal handler. The session notices within a tenth of
/// a second, lets what the GPU has begun come to its end, keeps everything finished, and returns.
class Cancellation {
 public:
  /// True the first time.
  bool cancel() noexcept { return !cancelled_.exchange(true); }
  bool is_cancelled() const noexcept { return cancelled_.load(); }
  /// For another session with the same object.
  void reset() noexcept { cancelled_ = false; }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");
  std::atomic<bool> cancelled_{false};
};

}  // namespace warptune::base
