// How long a node waits between two calls of the store.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/cancellation.h"
#include "base/random.h"

namespace warptune::tuner::nodes {

/// Pauses between tries to reach a store that is away. Each is twice as long as the one before it, up to a
/// minute.
class BackOff {
 public:
  /// `first` is the first pause, but at most one second.
  explicit BackOff(std::chrono::milliseconds first) : first_(std::min(first, kMaxFirst)) {}

  /// The next pause.
  std::chrono::milliseconds next() { return pause_ = std::clamp(2 * pause_, first_, kLongest); }
  /// Whether `next` was called since the last success.
  bool is_waiting() const { return pause_.count() > 0; }
  void note_success() { pause_ = std::chrono::milliseconds(0); }

 private:
  static constexpr std::chrono::milliseconds kMaxFirst{1000};
  static constexpr std::chrono::milliseconds kLongest{60'000};

  std::chrono::milliseconds first_;
  std::chrono::milliseconds pause_{0};
};

/// Rests between half and one and a half times `time`, or until `stop` is cancelled. The length is random, so
/// that many nodes do not come back to a store at the same moment.
inline void rest(std::chrono::milliseconds time, base::Random& random, const base::Cancellation& stop) {
  using std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kStep{50};
  const auto until = steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::milliseconds>(time * (0.5 + random.unit()));
  while (steady_clock::now() < until && !stop.is_cancelled())
    std::this_thread::sleep_for(std::min<steady_clock::duration>(kStep, until - steady_clock::now()));
}

/// The time between two publications of a session's rows. A store that answers slowly gets fewer and larger
/// batches: a node spends at most a tenth of its time with publishing, unless the longest interval is
/// reached. When the store is fast again, the interval halves with each publication.
class PublishPace {
 public:
  using milliseconds = std::chrono::milliseconds;

  /// `usual` is the shortest interval. The longest one is twelve times as long: a minute, if it is the usual
  /// five seconds.
  explicit PublishPace(milliseconds usual) : usual_(usual), interval_(usual) {}

  milliseconds interval() const { return interval_; }
  /// The store had everything after this time.
  void note_published(milliseconds took) { set(std::max(kShare * took, interval_ / 2)); }
  /// The store was away, or it failed.
  void note_failed() { set(2 * interval_); }

 private:
  static constexpr int kShare = 10;
  static constexpr int kLongest = 12;

  void set(milliseconds wanted) { interval_ = std::clamp(wanted, usual_, kLongest * usual_); }

  milliseconds usual_;
  milliseconds interval_;
};

}  // namespace warptune::tuner::nodes
