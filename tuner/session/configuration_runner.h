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

/// Measures configurations that the caller names, instead of those that a strategy chooses. The measurements
/// are rows of one session, which begins with the first of them. The references must outlive this object.
class ConfigurationRunner {
 public:
  /// `session` holds the workload, the work, the strategy and so on. The runner adds the text of the budget,
  /// and the roofs and the environment that the evaluator knows. `declared`: see
  /// `MeasurementRecorder::begin`.
  ConfigurationRunner(db::Session session, const Budget& budget, evaluation::Evaluator& evaluator,
                      db::Store& store, SessionListener& listener, const base::Cancellation& cancellation,
                      profiling::verification::DeclaredWork declared = {});
  ConfigurationRunner(const ConfigurationRunner&) = delete;
  ConfigurationRunner& operator=(const ConfigurationRunner&) = delete;
  /// Ends the session.
  ~ConfigurationRunner();

  /// Measures until all are done, the budget is spent or the session is cancelled. Returns what was measured,
  /// with counters. Failed configurations are included. What the end of an earlier session found holds for
  /// the stored rows, too: the preference and the confirmation (`db::keep_preference`), or the rejection
  /// (`db::standing_rejection`), of which the listener is warned. What is returned is as it was measured.
  std::vector<model::Measurement> measure(const std::vector<model::NamedValues>& configurations);

  bool out_of_budget() const { return out_of_budget_; }
  /// The session's id. Returns std::nullopt when nothing was measured.
  std::optional<std::int64_t> session_id() const { return recorder_.session_id(); }

 private:
  struct Row {
    std::int64_t id = 0;
    model::Measurement measurement;
    std::optional<db::StoredMeasurement> earlier;  // The newest row of the configuration before it.
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
  std::map<std::uint64_t, Row> rows_;  // By candidate id; only of the current `measure`.
  std::uint64_t next_id_ = 1;
  bool out_of_budget_ = false;
};

}  // namespace warptune::tuner::session
