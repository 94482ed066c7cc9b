#pragma once

#include <list>
#include <thread>
#include <vector>

#include "base/cancellation.h"

namespace warptune::tuner::gpus {

/// A session's turn on GPUs of this machine. Sessions that threads of one process run at the same time would
/// disturb each other's times, so each waits until those before it have ended. It does not wait for sessions
/// of other processes.
class GpuTurn {
 public:
  /// Waits for the sessions that want one of the GPUs and came earlier. A session that begins within another
  /// one of the same thread, such as in a function that is called for its events, does not wait for that one.
  /// If it wants another GPU, it waits for the sessions there. Throws `base::WorkError` if one of those waits
  /// for it, because both would wait for ever.
  /// Returns within a tenth of a second when it is cancelled. Then it is not the session's turn, and the
  /// session must end as one that was cancelled before its first launch.
  GpuTurn(std::vector<int> ordinals, const base::Cancellation& cancellation);
  /// Ends the turn, so that the next session can begin.
  ~GpuTurn();
  GpuTurn(const GpuTurn&) = delete;
  GpuTurn& operator=(const GpuTurn&) = delete;

  /// A session that has its turn or waits for it. The owner is a thread.
  struct Place {
    std::thread::id owner;
    std::vector<int> ordinals;
  };

  struct Places;

 private:
  Places* places_;
  std::list<Place>::iterator place_;
};

/// Used in a thread that runs a session on behalf of the thread `owner`, which waits for it. While the object
/// lives, turns of the calling thread belong to `owner`.
class TurnsOf {
 public:
  explicit TurnsOf(std::thread::id owner);
  ~TurnsOf();
  TurnsOf(const TurnsOf&) = delete;
  TurnsOf& operator=(const TurnsOf&) = delete;
};

}  // namespace warptune::tuner::gpus
