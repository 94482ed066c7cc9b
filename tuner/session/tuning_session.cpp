// Runs the loop of a search. The loop asks the strategy, keeps the evaluator busy, and ends by budget, goal
// or cancellation.
//
// The strategy is asked for as many configurations as the evaluator wants, so that neither compilers nor GPUs
// wait. All events that arrive together are stored in one transaction, and only then is the strategy asked
// for more. A killed session therefore loses only what was in flight. When the session must end, waiting
// candidates are dropped, the running ones are awaited, and outstanding counters are read. The search is then
// saved, and the final rounds follow (finals/conclusion.h).
#include "tuner/session/tuning_session.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "tuner/session/finals/conclusion.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/rated_evaluations.h"
#include "tuner/session/search_goal.h"
#include "tuner/session/session_search.h"

namespace warptune::tuner::session {

namespace {

constexpr std::chrono::seconds kSaveInterval{5};  // The interval at which the search is saved.
constexpr std::size_t kMinPending = 4;
constexpr std::uint64_t kPendingDivisor = 16;  // At most 1/16 of the budget's evaluations may be pending.

db::Session row_of(const SessionPlan& plan) {
  db::Session session;
  session.workload = plan.workload;
  session.work = plan.work;
  session.strategy = plan.strategy;
  session.seed = plan.seed;
  session.budget = plan.budget.text;
  if (!plan.goal.text.empty()) session.budget += ", until " + plan.goal.text;
  session.objective = plan.objective.text();
  session.replayed = plan.replayed;
  session.space_size = plan.space.size();
  session.default_configuration = plan.default_configuration;
  return session;
}

// The finished share of the budget or of the space, whichever is larger.
std::optional<double> finished_share(const SessionPlan& plan, const SessionProgress& progress) {
  std::optional<double> share;
  const auto at_least = [&](double part) { share = std::max(share.value_or(0.0), std::min(part, 1.0)); };
  if (plan.budget.seconds) at_least(progress.elapsed_s / *plan.budget.seconds);
  if (plan.budget.evaluations)
    at_least(static_cast<double>(progress.evaluated) / static_cast<double>(*plan.budget.evaluations));
  const double known = plan.fresh ? 0.0 : static_cast<double>(progress.known);
  at_least((known + static_cast<double>(progress.evaluated)) / static_cast<double>(progress.space_size));
  return share;
}

// Asks the strategy and keeps the evaluator busy until the budget, the goal or the space ends it.
class RunningSession {
 public:
  // Throws for an unknown strategy, before a session is stored.
  RunningSession(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                 SessionListener& listener, const base::Cancellation& cancellation)
      : plan_(plan),
        evaluator_(evaluator),
        store_(store),
        listener_(listener),
        cancellation_(cancellation),
        recorder_(store, listener),
        search_(plan, store),
        evaluations_(plan, evaluator, recorder_, search_, result_),
        goal_(plan) {}

  SessionResult run() {
    note_known();
    submit_more();  // Compiling begins while the GPUs are being set up.
    if (!wait_until_ready()) return std::move(result_);
    begin();
    evaluate_all();
    take_counters();
    save_search();
    const SessionProgress& progress = result_.progress;
    if (progress.known + progress.evaluated < plan_.space.size())
      result_.expected_gain = expected_gain(plan_, search_, evaluator_, progress.evaluated);
    finals::conclude(plan_, evaluator_, recorder_, listener_, cancellation_, result_);
    return std::move(result_);
  }

 private:
  void note_known() {
    result_.source = search_.source();
    result_.continued = search_.is_restored();
    for (const KnownRow& row : search_.known()) evaluations_.note_best(row.measurement, row.value);
    result_.progress.known = search_.known().size();
    search_.forget_known();
  }

  // False if the session was cancelled first. Events that arrive meanwhile (programs that do not compile) are
  // kept.
  bool wait_until_ready() {
    while (!evaluator_.is_ready()) {
      for (evaluation::EvaluationEvent& event : evaluator_.wait(evaluation::Evaluator::kPollInterval))
        early_.push_back(std::move(event));
      if (!cancellation_.is_cancelled()) continue;
      result_.interrupted = true;
      return false;
    }
    return true;
  }

  void begin() {
    goal_.set_roofs(evaluator_.roofs());
    recorder_.begin(row_of(plan_), evaluator_, plan_.declared);
    result_.session_id = *recorder_.session_id();
    result_.progress.space_size = plan_.space.size();
    result_.progress.by_time = plan_.objective.is_time();
  }

  void evaluate_all() {
    bool asking = true;
    bool dropped = false;
    take_all(std::exchange(early_, {}));
    while (asking || evaluator_.pending() > 0) {
      result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
      const bool out_of_time = plan_.budget.seconds && evaluator_.elapsed_s() >= *plan_.budget.seconds;
      result_.goal_reached =
          result_.goal_reached ||
          goal_.is_reached(result_.progress, evaluations_.evaluated_at_best(), search_, evaluator_);
      if (!dropped && (result_.interrupted || out_of_time || result_.goal_reached)) {
        asking = false;
        dropped = true;
        evaluator_.drop_waiting();
      }
      if (asking) asking = submit_more();
      take_all(evaluator_.wait(evaluation::Evaluator::kPollInterval));
      recorder_.note_roofs(evaluator_);
      recorder_.warn(evaluator_.take_warnings());
      report();
    }
    result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
  }

  // How many candidates may wait for their results. If the budget counts evaluations, a strategy that learns
  // should know most of its results before it asks for the rest, even though compiling could run further
  // ahead.
  std::size_t max_pending() const {
    if (!search::strategy_info(plan_.strategy).learns) return std::numeric_limits<std::size_t>::max();
    return std::max<std::size_t>(kMinPending,
                                 static_cast<std::size_t>(*plan_.budget.evaluations / kPendingDivisor));
  }

  // False if no more candidates are to be asked for.
  bool submit_more() {
    std::size_t count = evaluator_.wanted();
    if (plan_.budget.evaluations) {
      const std::uint64_t maximum = *plan_.budget.evaluations;
      const std::uint64_t left = maximum - std::min(maximum, evaluations_.submitted());
      if (left == 0) return false;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
      count = std::min(count, max_pending() - std::min(max_pending(), evaluator_.pending()));
    }
    if (count == 0) return true;
    const std::vector<model::Configuration> asked = search_.ask(count);
    if (asked.empty() && evaluator_.pending() == 0) {
      if (evaluations_.waiting() > 0) {  // The strategy may be waiting for counters.
        take_counters();
        return true;
      }
      result_.exhausted = true;
      return false;
    }
    for (const model::Configuration& configuration : asked) evaluations_.submit(configuration);
    return true;
  }

  // Stores events that arrived together in one transaction, before more candidates are submitted.
  void take_all(std::vector<evaluation::EvaluationEvent> events) {
    if (events.empty()) return;
    db::Store::Batch batch(store_);
    for (evaluation::EvaluationEvent& event : events) evaluations_.take(event);
    if (std::chrono::steady_clock::now() - saved_ >= kSaveInterval) save_search();
    batch.commit();
  }

  // The strategy is also informed of evaluations whose counters never arrive, because it may wait for each.
  void take_counters() {
    std::vector<evaluation::EvaluationEvent> events;
    for (evaluation::CounterEvent& event : evaluator_.close_counters()) events.emplace_back(std::move(event));
    take_all(std::move(events));
    evaluations_.settle();
  }

  // Saves the search. Call it only when the strategy knows exactly the rows that the database holds.
  void save_search() {
    store_.set_search_state(result_.session_id, search_.state());
    saved_ = std::chrono::steady_clock::now();
  }

  void report() {
    SessionProgress& progress = result_.progress;
    progress.elapsed_s = evaluator_.elapsed_s();
    progress.fraction = finished_share(plan_, progress);
    listener_.on_event(progress);
  }

  const SessionPlan& plan_;
  evaluation::Evaluator& evaluator_;
  db::Store& store_;
  SessionListener& listener_;
  const base::Cancellation& cancellation_;
  SessionResult result_;
  MeasurementRecorder recorder_;
  SessionSearch search_;
  RatedEvaluations evaluations_;
  SearchGoal goal_;
  std::vector<evaluation::EvaluationEvent> early_;  // Events that arrived before the session began.
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

SessionResult run_session(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const base::Cancellation& cancellation) {
  return RunningSession(plan, evaluator, store, listener, cancellation).run();
}

}  // namespace warptune::tuner::session
