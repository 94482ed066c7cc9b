#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "tuner/budget.h"
#include "tuner/evaluator.h"

namespace warptune::tuner {

/// Measures configurations that someone names, rather than a strategy, and stores each as a row of a session
/// of its own, which begins with the first. The references must outlive it.
class StoredMeasuring {
 public:
  /// `session`: subject, work, budget text, strategy and so on; what the evaluator knows is filled in.
  StoredMeasuring(db::Session session, const Budget& budget, Evaluator& evaluator, db::Store& store,
                  const std::atomic<bool>& interrupt);
  StoredMeasuring(const StoredMeasuring&) = delete;
  StoredMeasuring& operator=(const StoredMeasuring&) = delete;
  /// Finishes the session.
  ~StoredMeasuring();

  /// What could be measured before the budget or an interrupt, with its counters, failures included.
  std::vector<search::Measurement> measure(const std::vector<search::NamedValues>& configurations);

  bool out_of_budget() const { return out_of_budget_; }
  /// Of the session; nothing when nothing was measured.
  std::optional<std::int64_t> session_id() const { return session_id_; }
  /// Is told of the evaluator's warnings.
  std::function<void(const std::string&)> on_warning;

 private:
  struct Row {
    std::int64_t id = 0;
    search::Measurement measurement;
  };
  void begin();
  bool must_stop();
  void take(EvaluationEvent& event);
  void take_counters(const CounterEvent& event);

  db::Session session_;
  Budget budget_;
  Evaluator& evaluator_;
  db::Store& store_;
  const std::atomic<bool>& interrupt_;
  std::optional<std::int64_t> session_id_;
  std::map<std::uint64_t, Row> rows_;  // Of the call under way, by candidate.
  std::uint64_t next_id_ = 1;
  bool out_of_budget_ = false;
};

}  // namespace warptune::tuner
