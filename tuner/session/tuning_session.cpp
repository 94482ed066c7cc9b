// The loop of a search: asks the strategy, keeps the evaluator busy, and ends by budget, goal or
// cancellation.
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

constexpr std::chrono::seconds kSaveInterval{5};  // Between searches saved.
constexpr std::size_t kMinPending = 4;
constexpr std::uint64_t kPendingShare = 16;  // Of a budget in evaluations.

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

// Of the budget or of the space, whichever ends first.
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
  // Throws for an unknown strategy: it leaves no session behind.
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
    submit_more();  // Compiling begins while the GPUs are still being set up.
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

  // False when it was cancelled first. What comes meanwhile (programs that do not compile) is kept.
  bool wait_until_ready() {
    while (!evaluator_.is_ready()) {
      for (evaluation::EvaluationEvent& event : evaluator_.wait(evaluation::Evaluator::kTick))
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
      take_all(evaluator_.wait(evaluation::Evaluator::kTick));
      recorder_.note_roofs(evaluator_);
      recorder_.warn(evaluator_.take_warnings());
      report();
    }
    result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
  }

  // Where evaluations are counted, a strategy that learns is to know most of them before it asks for the
  // rest, even though compiling could run further ahead.
  std::size_t max_pending() const {
    if (!search::strategy_info(plan_.strategy).learns) return std::numeric_limits<std::size_t>::max();
    return std::max<std::size_t>(kMinPending,
                                 static_cast<std::size_t>(*plan_.budget.evaluations / kPendingShare));
  }

  // False when nothing more is to be asked for.
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
      if (evaluations_.waiting() > 0) {  // The strategy may only be waiting for what counters will say.
        take_counters();
        return true;
      }
      result_.exhausted = true;
      return false;
    }
    for (const model::Configuration& configuration : asked) evaluations_.submit(configuration);
    return true;
  }

  // All or nothing of what came at once is in the database before the next is handed out.
  void take_all(std::vector<evaluation::EvaluationEvent> events) {
    if (events.empty()) return;
    db::Store::Batch batch(store_);
    for (evaluation::EvaluationEvent& event : events) evaluations_.take(event);
    if (std::chrono::steady_clock::now() - saved_ >= kSaveInterval) save_search();
    batch.commit();
  }

  // Those whose counters never come are told, too: a strategy may wait for each.
  void take_counters() {
    std::vector<evaluation::EvaluationEvent> events;
    for (evaluation::CounterEvent& event : evaluator_.close_counters()) events.emplace_back(std::move(event));
    take_all(std::move(events));
    evaluations_.settle();
  }

  // What is in the database by then is what the search was told.
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
  std::vector<evaluation::EvaluationEvent> early_;  // Before the session began.
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

SessionResult run_session(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const base::Cancellation& cancellation) {
  return RunningSession(plan, evaluator, store, listener, cancellation).run();
}

}  // namespace warptune::tuner::session
