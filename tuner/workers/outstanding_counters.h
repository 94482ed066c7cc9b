#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers {

/// Evaluations whose counters have not come. They go with a worker that ends, and are counted again by the
/// next; counts that were disturbed are taken once more by the same. What ends a worker by being counted
/// again is not tried another time.
class OutstandingCounters {
 public:
  /// Measured with a median of `median_ns`; its counters will come. `message` is what counts it again.
  void await(protocol::Count message, double median_ns);
  /// Nothing will come any more.
  void clear();
  bool empty() const { return rows_.empty(); }
  /// They have come.
  void settle(std::uint64_t id) { rows_.erase(id); }

  /// The message to send for a count that was disturbed; null where it was taken again before.
  const protocol::Count* take_again(std::uint64_t id);
  /// The worker has counted one again. False unless it is the one whose turn it is.
  bool note_counted(std::uint64_t id);
  /// Whether the worker has messages of these that it has not answered.
  bool is_counting() const { return !sent_.empty(); }

  /// The worker has ended, with all that it was to read.
  void note_worker_ended();
  /// The messages to send to its replacement, the fastest first.
  std::vector<const protocol::Count*> take_lost();

 private:
  static constexpr int kMaxAttempts = 3;  ///< Of counting one again.
  struct Row {
    protocol::Count message;
    double median_ns = 0.0;
    int attempts = 0;
  };

  const protocol::Count* send(Row& row);

  std::map<std::uint64_t, Row> rows_;
  std::deque<std::uint64_t> sent_;  ///< Not answered, in their order.
};

}  // namespace warptune::tuner::workers
