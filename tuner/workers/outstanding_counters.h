#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "tuner/protocol/messages.h"

namespace warptune::tuner::workers {

/// Evaluations whose counters have not arrived. If their worker ends, its replacement counts them again. A
/// count that was disturbed is repeated by the same worker. If counting an evaluation ends the worker, it is
/// not tried again.
class OutstandingCounters {
 public:
  /// Adds an evaluation with a median of `median_ns`, whose counters will arrive. The median is infinite if
  /// it is unknown. `message` is sent to count the evaluation again.
  void await(protocol::Count message, double median_ns);
  /// Forgets all: no counters will arrive.
  void clear();
  bool empty() const { return rows_.empty(); }
  /// Call it when the counters have arrived.
  void settle(std::uint64_t id) { rows_.erase(id); }

  /// The message to send after a disturbed count. Null if the count was already repeated.
  const protocol::Count* take_again(std::uint64_t id);
  /// Call it when the worker has counted an evaluation again. Returns false if another one was to be counted
  /// next.
  bool note_counted(std::uint64_t id);
  /// Whether the worker has not answered all counts that were sent to it.
  bool is_counting() const { return !sent_.empty(); }

  /// Call it when the worker has ended: the counters that it had not sent are lost.
  void note_worker_ended();
  /// The messages for the worker's replacement, the fastest evaluation first.
  std::vector<const protocol::Count*> lost_counts();

 private:
  static constexpr int kMaxAttempts = 3;  ///< How often an evaluation is counted again at most.
  struct Row {
    protocol::Count message;
    double median_ns = 0.0;
    int attempts = 0;
  };

  const protocol::Count* send(Row& row);

  std::map<std::uint64_t, Row> rows_;
  std::deque<std::uint64_t> sent_;  ///< Messages without an answer, in the order sent.
};

}  // namespace warptune::tuner::workers
