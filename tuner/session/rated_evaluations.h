// The evaluations of a running search, from the request to the rating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "tuner/evaluation/evaluator.h"
#include "tuner/session/loop/shared_search.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session {

/// Follows each evaluation of a search. An evaluation is stored when it ends. The strategy is informed as
/// soon as the objective can rate the evaluation, which may be only when its counters arrive. The best so far
/// is kept: the progress shows it, and the evaluator uses its time as incumbent. A row is withdrawn if its
/// counters show that it is implausible. The references must outlive this object.
class RatedEvaluations {
 public:
  RatedEvaluations(const SessionPlan& plan, evaluation::Evaluator& evaluator, MeasurementRecorder& recorder,
                   loop::SharedSearch& search, SessionResult& result)
      : plan_(plan), evaluator_(evaluator), recorder_(recorder), search_(search), result_(result) {}

  /// Gives a configuration to the evaluator.
  void submit(const model::Configuration& configuration);
  /// The number of submitted evaluations, without those that a recording lacks.
  std::uint64_t submitted() const { return submitted_; }
  /// Evaluations that the strategy will be informed of when their counters arrive.
  std::size_t waiting() const { return waiting_; }
  /// The number of evaluations at the time when the present best was found.
  std::uint64_t evaluated_at_best() const { return evaluated_at_best_; }

  /// Stores an event, rates it and informs the strategy.
  void take(evaluation::EvaluationEvent& event);
  /// Makes the measurement the best so far if its value is better. Returns whether it is.
  bool note_best(const model::Measurement& measurement, std::optional<double> value);
  /// Call it when the best so far turned out to be wrong. Chooses it again among the stored rows that the
  /// session ranks.
  void choose_best_again();
  /// Call it when nothing is pending. What was submitted and not measured was dropped: others may evaluate
  /// it.
  void give_up_dropped();
  /// Call it when no more counters will arrive. Informs the strategy of the waiting evaluations without
  /// counters.
  void settle();

 private:
  /// A row whose counters may still come.
  struct Uncounted {
    std::int64_t row = 0;
    bool waits = false;  ///< The strategy is informed when its counters arrive.
    model::Measurement measurement;
  };

  void take_measurement(std::uint64_t id, model::Measurement measurement);
  void take_counters(const evaluation::CounterEvent& event);
  void forget(std::uint64_t id);
  void rate(std::uint64_t id, std::int64_t row, model::Measurement measurement);
  void rate_with_counters(std::uint64_t id, const Uncounted& row);
  void withdraw(model::Status before, model::Status after);

  const SessionPlan& plan_;
  evaluation::Evaluator& evaluator_;
  MeasurementRecorder& recorder_;
  loop::SharedSearch& search_;
  SessionResult& result_;
  /// By candidate id, until the strategy is informed.
  std::unordered_map<std::uint64_t, model::Configuration> asked_;
  std::map<std::uint64_t, Uncounted> uncounted_;  ///< By candidate id.
  std::size_t waiting_ = 0;
  std::uint64_t next_id_ = 1;
  std::uint64_t submitted_ = 0;
  std::uint64_t evaluated_at_best_ = 0;
};

}  // namespace warptune::tuner::session
