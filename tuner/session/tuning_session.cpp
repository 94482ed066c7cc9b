// Runs a session around the loop of its search (loop/evaluation_loop.h).
//
// All events that arrive together are stored in one transaction, and only then is the strategy asked for
// more. A killed session therefore loses only what was in flight. When the loop has ended, outstanding
// counters are read. The search is then saved, and the final rounds follow (finals/conclusion.h).
#include "tuner/session/tuning_session.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/session/finals/conclusion.h"
#include "tuner/session/loop/evaluation_loop.h"
#include "tuner/session/loop/shared_search.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/rated_evaluations.h"
#include "tuner/session/search_goal.h"

namespace warptune::tuner::session {

namespace {

constexpr std::chrono::seconds kSaveInterval{5};  // The interval at which the search is saved.
// How long a session that has nothing to evaluate waits before it looks again at what others have stored.
constexpr std::chrono::milliseconds kWaitForOthers{10};

db::Session row_of(const SessionPlan& plan) {
  db::Session session;
  session.workload = plan.workload;
  session.work = plan.work;
  session.strategy = plan.purpose.empty() ? plan.strategy : plan.purpose;
  session.seed = plan.seed;
  session.budget = plan.budget.text;
  if (!plan.goal.text.empty()) session.budget += ", until " + plan.goal.text;
  if (!plan.part_of.empty()) session.budget += ", " + plan.part_of;
  session.objective = plan.objective.text();
  session.source = plan.source();
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

// Runs the loop, and stores and rates what it evaluates.
class RunningSession : private loop::LoopOwner {
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
        shared_(plan, store),
        evaluations_(plan, evaluator, recorder_, shared_, result_),
        goal_(plan) {}

  SessionResult run() {
    note_known();
    const loop::LoopEnd end = loop::run_evaluation_loop(plan_, evaluator_, *this);
    result_.interrupted = end.interrupted;
    result_.goal_reached = end.goal_reached;
    result_.exhausted = end.exhausted;
    if (!end.has_begun) return std::move(result_);
    give_up_dropped();
    take_counters();
    note_shared();
    shared_.leave();
    save_search();
    const SessionProgress& progress = result_.progress;
    if (progress.known + progress.evaluated < plan_.space.size())
      result_.expected_gain = expected_gain(plan_, shared_.search(), evaluator_, progress.evaluated);
    finals::conclude(plan_, evaluator_, recorder_, listener_, cancellation_, result_);
    return std::move(result_);
  }

 private:
  void note_known() {
    SessionSearch& search = shared_.search();
    result_.source = search.source();
    result_.continued = search.is_restored();
    for (const KnownRow& row : search.known()) evaluations_.note_best(row.measurement, row.value);
    result_.progress.known = search.known().size();
    search.forget_known();
  }

  // Takes the rows of sessions that share the work. If the best so far is such a row, the other session may
  // still find that it is implausible.
  void note_shared() {
    const std::vector<KnownRow> rows = shared_.take_rows();
    if (rows.empty()) return;
    SessionProgress& progress = result_.progress;
    if (best_of_other_ && !is_rankable_row(*best_of_other_)) evaluations_.choose_best_again();
    for (const KnownRow& row : rows) {
      ++progress.known;
      ++progress.shared;
      if (evaluations_.note_best(row.measurement, row.value)) best_of_other_ = row.id;
    }
  }

  bool is_rankable_row(std::int64_t id) const {
    const std::optional<db::StoredMeasurement> row = store_.measurement(id);
    return row && is_rankable(row->measurement);
  }

  std::vector<model::Configuration> ask(std::size_t count) override { return shared_.ask(count); }
  void submit(const model::Configuration& configuration) override { evaluations_.submit(configuration); }
  std::uint64_t submitted() const override { return evaluations_.submitted(); }
  bool is_cancelled() const override { return cancellation_.is_cancelled(); }
  bool has_reached_goal() const override {
    return goal_.is_reached(result_.progress, evaluations_.evaluated_at_best(), shared_.search());
  }

  void begin() override {
    goal_.set_roofs(evaluator_.roofs());
    recorder_.begin(row_of(plan_), evaluator_, plan_.declared);
    result_.session_id = *recorder_.session_id();
    shared_.begin(result_.session_id);
    result_.progress.space_size = plan_.space.size();
    result_.progress.by_time = plan_.objective.is_time();
  }

  // Stores events that arrived together in one transaction, before more candidates are submitted.
  void take(std::vector<evaluation::EvaluationEvent> events) override {
    if (events.empty()) return;
    db::Store::Batch batch(store_);
    for (evaluation::EvaluationEvent& event : events) evaluations_.take(event);
    if (std::chrono::steady_clock::now() - saved_ >= kSaveInterval) save_search();
    batch.commit();
  }

  bool take_missing_counters() override {
    if (evaluations_.waiting() == 0) return false;
    take_counters();
    return true;
  }

  bool waits_for_others() override {
    if (!shared_.is_waiting()) return false;
    std::this_thread::sleep_for(kWaitForOthers);
    return true;
  }

  void end_turn() override {
    note_shared();
    recorder_.note_roofs(evaluator_);
    recorder_.warn(evaluator_.take_warnings());
    report();
  }

  void give_up_dropped() {
    db::Store::Batch batch(store_);
    evaluations_.give_up_dropped();
    batch.commit();
  }

  // Counters may take minutes. The strategy is also informed of evaluations whose counters never arrive,
  // because it may wait for each.
  void take_counters() {
    std::vector<evaluation::EvaluationEvent> events;
    shared_.pause();
    for (evaluation::CounterEvent& event : evaluator_.close_counters()) events.emplace_back(std::move(event));
    take(std::move(events));
    evaluations_.settle();
    shared_.resume();
  }

  // Saves the search. Call it only when the strategy knows exactly the rows that the database holds.
  void save_search() {
    if (!plan_.purpose.empty()) return;  // It would replace the saved search of an earlier session.
    store_.set_search_state(result_.session_id, shared_.search().state());
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
  loop::SharedSearch shared_;
  RatedEvaluations evaluations_;
  SearchGoal goal_;
  std::optional<std::int64_t> best_of_other_;  // The row of the best, if another session has stored it.
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
};

}  // namespace

SessionResult run_session(const SessionPlan& plan, evaluation::Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const base::Cancellation& cancellation) {
  return RunningSession(plan, evaluator, store, listener, cancellation).run();
}

}  // namespace warptune::tuner::session
