// The evaluations of a running search, from asked for to rated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

#include "tuner/evaluation/evaluator.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/session_search.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// Follows each evaluation of a search: it is stored, the strategy is told of it as soon as the objective
/// can rate it, which may be when its counters come, and the best so far is noted for progress and
/// incumbent. A row that its counters show to be implausible is withdrawn. The references must outlive it.
class RatedEvaluations {
 public:
  RatedEvaluations(const SessionPlan& plan, evaluation::Evaluator& evaluator, MeasurementRecorder& recorder,
                   SessionSearch& search, SessionResult& result)
      : plan_(plan), evaluator_(evaluator), recorder_(recorder), search_(search), result_(result) {}

  /// Hands a configuration to the evaluator.
  void submit(const model::Configuration& configuration);
  /// Evaluations asked for, without those of which nothing is known.
  std::uint64_t submitted() const { return submitted_; }
  /// Those that the strategy is told of once their counters have come.
  std::size_t waiting() const { return waiting_; }
  /// How many were evaluated when the best was.
  std::uint64_t evaluated_at_best() const { return evaluated_at_best_; }

  void take(evaluation::EvaluationEvent& event);
  /// Makes it the best so far where it is better than that.
  void note_best(const model::Measurement& measurement, double value);
  /// No counters will come any more: what waits for some is told as it is.
  void settle();

 private:
  /// A row whose counters may still come.
  struct Uncounted {
    std::int64_t row = 0;
    bool waits = false;  ///< The strategy has not been told of it.
    model::Measurement measurement;
  };

  void take_measurement(std::uint64_t id, model::Measurement measurement);
  void take_counters(const evaluation::CounterEvent& event);
  void forget(std::uint64_t id);
  void rate(std::uint64_t id, std::int64_t row, model::Measurement measurement);
  void rate_at_last(std::uint64_t id, const Uncounted& row);
  void withdraw(model::Status before, model::Status after);

  const SessionPlan& plan_;
  evaluation::Evaluator& evaluator_;
  MeasurementRecorder& recorder_;
  SessionSearch& search_;
  SessionResult& result_;
  std::unordered_map<std::uint64_t, model::Configuration> asked_;  ///< By candidate, until they are told.
  std::map<std::uint64_t, Uncounted> uncounted_;                   ///< By candidate.
  std::size_t waiting_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t submitted_ = 0;
  std::uint64_t evaluated_at_best_ = 0;
};

}  // namespace warptune::tuner::session
