#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "db/store.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/budget.h"
#include "tuner/session/measurement_recorder.h"

namespace warptune::tuner::session {

/// Measures configurations that someone names, rather than a strategy, and stores each as a row of a session
/// of its own, which begins with the first. The references must outlive it.
class ConfigurationRunner {
 public:
  /// `session`: workload, work, strategy and so on; what the evaluator knows and the budget's text are filled
  /// in. `declared`: as for `MeasurementRecorder::begin`.
  ConfigurationRunner(db::Session session, const Budget& budget, evaluation::Evaluator& evaluator,
                      db::Store& store, SessionListener& listener, const base::Cancellation& cancellation,
                      profiling::verification::DeclaredWork declared = {});
  ConfigurationRunner(const ConfigurationRunner&) = delete;
  ConfigurationRunner& operator=(const ConfigurationRunner&) = delete;
  /// Finishes the session.
  ~ConfigurationRunner();

  /// What could be measured before the budget or a cancellation, with its counters, failures included.
  std::vector<model::Measurement> measure(const std::vector<model::NamedValues>& configurations);

  bool out_of_budget() const { return out_of_budget_; }
  /// Of the session; nothing when nothing was measured.
  std::optional<std::int64_t> session_id() const { return recorder_.session_id(); }

 private:
  struct Row {
    std::int64_t id = 0;
    model::Measurement measurement;
  };
  bool must_stop();
  void take_all(std::vector<evaluation::EvaluationEvent> events);
  void take(evaluation::EvaluationEvent& event);
  void take_counters(const evaluation::CounterEvent& event);

  db::Session session_;
  profiling::verification::DeclaredWork declared_;
  Budget budget_;
  evaluation::Evaluator& evaluator_;
  const base::Cancellation& cancellation_;
  MeasurementRecorder recorder_;
  std::map<std::uint64_t, Row> rows_;  // Of the call under way, by candidate.
  std::uint64_t next_id_ = 1;
  bool out_of_budget_ = false;
};

}  // namespace warptune::tuner::session
