// How often a node publishes.
#pragma once

#include <algorithm>
#include <chrono>

namespace warptune::tuner::nodes {

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
