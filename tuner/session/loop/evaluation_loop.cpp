// The loop of a search, which sessions and simulated sessions share.
//
// The search is asked for as many configurations as the evaluator wants, so that neither compilers nor GPUs
// wait (evaluation/ask_ahead.h). Compiling begins while the GPUs are being set up. All events that arrive
// together are taken, and only then is the search asked for more.
#include "tuner/session/loop/evaluation_loop.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "search/strategy.h"

namespace warptune::tuner::session::loop {

namespace {

constexpr std::size_t kMinPending = 4;
constexpr std::uint64_t kPendingDivisor = 16;  // At most 1/16 of the budget's evaluations may be pending.

class Loop {
 public:
  Loop(const SearchRequest& request, evaluation::Evaluator& evaluator, LoopOwner& owner)
      : request_(request),
        evaluator_(evaluator),
        owner_(owner),
        learns_(search::strategy_info(request.strategy).learns) {}

  LoopEnd finish() {
    submit_more();
    if (!wait_until_ready()) return end_;
    owner_.begin();
    end_.has_begun = true;
    evaluate_all();
    return end_;
  }

 private:
  // False if it was cancelled first. Events that arrive meanwhile (programs that do not compile) are kept.
  bool wait_until_ready() {
    while (!evaluator_.is_ready()) {
      for (evaluation::EvaluationEvent& event : evaluator_.wait(evaluation::Evaluator::kPollInterval))
        early_.push_back(std::move(event));
      if (!owner_.is_cancelled()) continue;
      end_.interrupted = true;
      return false;
    }
    return true;
  }

  void evaluate_all() {
    bool asking = true;
    bool dropped = false;
    owner_.take(std::exchange(early_, {}));
    while (asking || evaluator_.pending() > 0) {
      end_.interrupted = end_.interrupted || owner_.is_cancelled();
      const bool out_of_time = request_.budget.seconds && evaluator_.elapsed_s() >= *request_.budget.seconds;
      end_.goal_reached = end_.goal_reached || owner_.has_reached_goal();
      if (!dropped && (end_.interrupted || out_of_time || end_.goal_reached)) {
        asking = false;
        dropped = true;
        evaluator_.drop_waiting();
      }
      if (asking) asking = submit_more();
      owner_.take(evaluator_.wait(evaluation::Evaluator::kPollInterval));
      owner_.end_turn();
    }
    end_.interrupted = end_.interrupted || owner_.is_cancelled();
  }

  // How many candidates may wait for their results. If the budget counts evaluations, a strategy that learns
  // should know most of its results before it asks for the rest, even though compiling could run further
  // ahead.
  std::size_t max_pending() const {
    if (!learns_) return std::numeric_limits<std::size_t>::max();
    return std::max<std::size_t>(kMinPending,
                                 static_cast<std::size_t>(*request_.budget.evaluations / kPendingDivisor));
  }

  // False if no more candidates are to be asked for.
  bool submit_more() {
    std::size_t count = evaluator_.wanted();
    if (request_.budget.evaluations) {
      const std::uint64_t maximum = *request_.budget.evaluations;
      const std::uint64_t left = maximum - std::min(maximum, owner_.submitted());
      if (left == 0) return false;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
      count = std::min(count, max_pending() - std::min(max_pending(), evaluator_.pending()));
    }
    if (count == 0) return true;
    const std::vector<model::Configuration> asked = owner_.ask(count);
    if (asked.empty() && evaluator_.pending() == 0) {
      if (owner_.take_missing_counters()) return true;  // The strategy may be waiting for them.
      if (owner_.waits_for_others()) return true;
      end_.exhausted = true;
      return false;
    }
    for (const model::Configuration& configuration : asked) owner_.submit(configuration);
    return true;
  }

  const SearchRequest& request_;
  evaluation::Evaluator& evaluator_;
  LoopOwner& owner_;
  bool learns_;
  LoopEnd end_;
  std::vector<evaluation::EvaluationEvent> early_;  // Events that arrived before the evaluator was ready.
};

}  // namespace

LoopEnd run_evaluation_loop(const SearchRequest& request, evaluation::Evaluator& evaluator,
                            LoopOwner& owner) {
  return Loop(request, evaluator, owner).finish();
}

}  // namespace warptune::tuner::session::loop
