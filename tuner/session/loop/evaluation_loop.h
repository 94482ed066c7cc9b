#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/space.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/tuning_session.h"

namespace warptune::tuner::session::loop {

/// What an evaluation loop needs of the session that it runs for: a search to ask, and a place for outcomes.
class LoopOwner {
 public:
  virtual ~LoopOwner() = default;

  /// Asks the search for at most `count` configurations. Empty: the space is exhausted, or the search waits
  /// for a result.
  virtual std::vector<model::Configuration> ask(std::size_t count) = 0;
  /// Gives a configuration to the evaluator.
  virtual void submit(const model::Configuration& configuration) = 0;
  /// The number of submitted evaluations that count for the budget.
  virtual std::uint64_t submitted() const = 0;
  /// Called once, when the evaluator is ready and before the first events are taken.
  virtual void begin() = 0;
  /// Takes events that arrived together, and informs the search.
  virtual void take(std::vector<evaluation::EvaluationEvent> events) = 0;
  /// Waits for the outstanding counters if the search waits for evaluations that need them. Returns false,
  /// and does nothing, if there are none.
  virtual bool take_missing_counters() = 0;
  /// Whether evaluations of other sessions can give this one more to do. Then waits a moment for them.
  virtual bool waits_for_others() { return false; }
  virtual bool is_cancelled() const = 0;
  virtual bool has_reached_goal() const = 0;
  /// Called after the events of each wait were taken.
  virtual void end_turn() = 0;
};

/// How a loop ended.
struct LoopEnd {
  bool has_begun = false;    ///< False: it was cancelled before the evaluator was ready.
  bool interrupted = false;  ///< It was cancelled.
  bool goal_reached = false;
  bool exhausted = false;  ///< No configuration of the space is left.
};

/// Asks the search, keeps the evaluator busy, and ends by the budget, the goal, the space or a cancellation.
/// Then waiting candidates are dropped, and the running ones are awaited. `tune` and the simulated sessions
/// of `replay` share this loop. It stores nothing and has no clock: the time is that of the evaluator. All
/// arguments are borrowed for the call.
LoopEnd run_evaluation_loop(const SearchRequest& request, evaluation::Evaluator& evaluator, LoopOwner& owner);

}  // namespace warptune::tuner::session::loop
