// Pauses between tries.
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

}  // namespace warptune::tuner::nodes
