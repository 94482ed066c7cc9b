// Has evaluations counted again if their worker ends before it has sent their counters.
//
// A worker reads counters in batches, long after the evaluations. If it crashes before it has sent a batch,
// the counters of the whole batch are lost. So the message that has an evaluation counted again is kept here.
// The worker's replacement gets these messages, the fastest evaluation first.
//
// Counting again may end a worker, too. Workers answer in order, so the evaluation at the front of `sent_` is
// to blame, and its counters are given up. Each evaluation is counted again at most kMaxAttempts times. Both
// limits make the repetition end.
#include "tuner/workers/outstanding_counters.h"

#include <algorithm>
#include <utility>

namespace warptune::tuner::workers {

void OutstandingCounters::await(protocol::Count message, double median_ns) {
  const std::uint64_t id = message.id;
  rows_[id] = {std::move(message), median_ns, 0};
}

void OutstandingCounters::clear() {
  rows_.clear();
  sent_.clear();
}

const protocol::Count* OutstandingCounters::send(Row& row) {
  ++row.attempts;
  sent_.push_back(row.message.id);
  return &row.message;
}

const protocol::Count* OutstandingCounters::take_again(std::uint64_t id) {
  const auto row = rows_.find(id);
  return row == rows_.end() || row->second.attempts > 0 ? nullptr : send(row->second);
}

bool OutstandingCounters::note_counted(std::uint64_t id) {
  if (sent_.empty() || sent_.front() != id) return false;
  sent_.pop_front();
  return true;
}

void OutstandingCounters::note_worker_ended() {
  if (!sent_.empty()) rows_.erase(sent_.front());  // The worker was counting this evaluation.
  sent_.clear();
  std::erase_if(rows_, [](const auto& row) { return row.second.attempts >= kMaxAttempts; });
}

std::vector<const protocol::Count*> OutstandingCounters::lost_counts() {
  std::vector<Row*> rows;
  rows.reserve(rows_.size());
  for (auto& [id, row] : rows_) rows.push_back(&row);
  std::sort(rows.begin(), rows.end(), [](const Row* a, const Row* b) { return a->median_ns < b->median_ns; });
  std::vector<const protocol::Count*> messages;
  messages.reserve(rows.size());
  for (Row* row : rows) messages.push_back(send(*row));
  return messages;
}

}  // namespace warptune::tuner::workers
