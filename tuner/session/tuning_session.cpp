#include "tuner/session/tuning_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tuner/knowledge/ranking.h"
#include "tuner/session/finals.h"
#include "tuner/session/measurement_recorder.h"
#include "tuner/session/session_search.h"

namespace warptune::tuner::session {

using model::Status;

namespace {

constexpr std::chrono::seconds kSaveInterval{5};  // Between searches saved.
constexpr double kSecondsAhead = 60.0;            // Of expected gains.
constexpr std::uint64_t kCountedAhead = 50;       // Evaluations, where the budget counts them.
constexpr std::uint64_t kPatience = 20;           // Evaluations without a new best, too: a model may err.
constexpr std::uint64_t kFewestRated = 20;        // Before a model's word on what is to be gained counts.
constexpr std::size_t kFewestPending = 4;
constexpr std::uint64_t kPendingShare = 16;  // Of a budget in evaluations.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class RunningSession {
 public:
  RunningSession(const SessionPlan& plan, Evaluator& evaluator, db::Store& store, SessionListener& listener,
                 const Cancellation& cancellation)
      : plan_(plan),
        evaluator_(evaluator),
        store_(store),
        listener_(listener),
        cancellation_(cancellation),
        recorder_(store, listener) {}

  SessionResult run() {
    make_search();  // First: an unknown strategy leaves no session behind.
    submit_more();  // Compiling begins while the GPUs are still being set up.
    if (!wait_until_ready()) return std::move(result_);
    begin();
    evaluate_all();
    take_counters();
    save_search();
    if (result_.progress.known + result_.progress.evaluated < plan_.space.size())
      result_.expected_gain = expected_gain();
    finish();
    return std::move(result_);
  }

 private:
  // A row whose counters may still come.
  struct Uncounted {
    std::int64_t row = 0;
    bool waits = false;  // The strategy has not been told of it.
    model::Measurement measurement;
  };

  void begin() {
    roof_ns_ = model::roof_time_ns(plan_.work, evaluator_.roofs());
    if (plan_.goal.roof_share && !(roof_ns_ > 0.0)) {
      throw base::InputError(fmt::format("--until {}: the roof of {} on {} is not known", plan_.goal.text,
                                         plan_.subject.kernel, plan_.subject.gpu.name));
    }
    db::Session session;
    session.subject = plan_.subject;
    session.work = plan_.work;
    session.strategy = plan_.strategy;
    session.seed = plan_.seed;
    session.budget = plan_.budget.text;
    if (!plan_.goal.text.empty()) session.budget += ", until " + plan_.goal.text;
    session.objective = plan_.objective.text();
    session.replayed = plan_.replayed;
    session.space_size = plan_.space.size();
    session.default_configuration = plan_.default_configuration;
    recorder_.begin(std::move(session), evaluator_, plan_.declared);
    result_.session_id = *recorder_.session_id();
    result_.progress.space_size = plan_.space.size();
    result_.progress.by_time = plan_.objective.is_time();
  }

  // False when it was cancelled first. What comes meanwhile (programs that do not compile) is kept.
  bool wait_until_ready() {
    while (!evaluator_.is_ready()) {
      for (EvaluationEvent& event : evaluator_.wait(Evaluator::kTick)) early_.push_back(std::move(event));
      if (!cancellation_.is_cancelled()) continue;
      result_.interrupted = true;
      return false;
    }
    return true;
  }

  void make_search() {
    search_.emplace(plan_, store_);
    result_.source = search_->source();
    result_.continued = search_->is_restored();
    for (const KnownRow& row : search_->known()) note_best(row.measurement, row.value);
    result_.progress.known = search_->known().size();
    search_->forget_known();
  }

  void evaluate_all() {
    bool asking = true;
    bool dropped = false;
    take_all(std::exchange(early_, {}));
    while (asking || evaluator_.pending() > 0) {
      result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
      const bool out_of_time = plan_.budget.seconds && evaluator_.elapsed_s() >= *plan_.budget.seconds;
      result_.goal_reached = result_.goal_reached || goal_reached();
      if (!dropped && (result_.interrupted || out_of_time || result_.goal_reached)) {
        asking = false;
        dropped = true;
        evaluator_.drop_waiting();
      }
      if (asking) asking = submit_more();
      take_all(evaluator_.wait(Evaluator::kTick));
      recorder_.note_roofs(evaluator_);
      recorder_.warn(evaluator_.take_warnings());
      report();
    }
    result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
  }

  // Where evaluations are counted, a strategy that learns is to know most of them before it asks for the
  // rest, even though compiling could run further ahead.
  std::size_t most_pending() const {
    if (!search::strategy_info(plan_.strategy).learns) return std::numeric_limits<std::size_t>::max();
    return std::max<std::size_t>(kFewestPending,
                                 static_cast<std::size_t>(*plan_.budget.evaluations / kPendingShare));
  }

  // False when nothing more is to be asked for.
  bool submit_more() {
    std::size_t count = evaluator_.wanted();
    if (plan_.budget.evaluations) {
      const std::uint64_t left = *plan_.budget.evaluations - std::min(*plan_.budget.evaluations, submitted_);
      if (left == 0) return false;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
      count = std::min(count, most_pending() - std::min(most_pending(), evaluator_.pending()));
    }
    if (count == 0) return true;
    const std::vector<model::Configuration> asked = search_->ask(count);
    if (asked.empty() && evaluator_.pending() == 0) {
      if (unrated_yet_ > 0) {  // The strategy may only be waiting for what counters will say.
        take_counters();
        return true;
      }
      result_.exhausted = true;
      return false;
    }
    for (const model::Configuration& configuration : asked) {
      asked_.emplace(next_id_, configuration);
      evaluator_.submit({next_id_, plan_.space.values_of(configuration)});
      ++next_id_;
      ++submitted_;
    }
    return true;
  }

  // All or nothing of what came at once is in the database before the next is handed out.
  void take_all(std::vector<EvaluationEvent> events) {
    if (events.empty()) return;
    db::Store::Batch batch(store_);
    for (EvaluationEvent& event : events) take(event);
    if (std::chrono::steady_clock::now() - saved_ >= kSaveInterval) save_search();
    batch.commit();
  }

  // What is in the database by then is what the search was told.
  void save_search() {
    store_.set_search_state(result_.session_id, search_->state());
    saved_ = std::chrono::steady_clock::now();
  }

  bool goal_reached() const {
    if (plan_.goal.roof_share)
      return result_.progress.best_value &&
             roof_ns_ >= *plan_.goal.roof_share * result_.progress.best_time.median_ns;
    if (!plan_.goal.gain_share || search_->rated() < kFewestRated) return false;
    if (result_.progress.evaluated - evaluated_at_best_ < kPatience) return false;
    const std::optional<ExpectedGain> gain = expected_gain();
    return gain && gain->share <= *plan_.goal.gain_share;
  }

  // Of as many evaluations as another minute has at this rate, or where they are counted, of so many.
  std::optional<ExpectedGain> expected_gain() const {
    ExpectedGain gain;
    if (plan_.budget.evaluations) {
      gain.evaluations = kCountedAhead;
    } else {
      const double elapsed_s = evaluator_.elapsed_s();
      if (result_.progress.evaluated == 0 || !(elapsed_s > 0.0)) return std::nullopt;
      gain.seconds = kSecondsAhead;
      gain.evaluations = static_cast<std::uint64_t>(
          std::ceil(static_cast<double>(result_.progress.evaluated) * kSecondsAhead / elapsed_s));
    }
    const std::optional<double> share = search_->expected_gain(gain.evaluations);
    if (!share) return std::nullopt;
    gain.share = std::min(*share, 1.0);
    return gain;
  }

  void take(EvaluationEvent& event) {
    if (const auto* counted = std::get_if<CounterEvent>(&event)) {
      take_counters_of(*counted);
      return;
    }
    if (const auto* unknown = std::get_if<UnknownEvent>(&event)) {
      search_->tell(asked_.at(unknown->id), Status::kLaunchFailed, kNone);
      asked_.erase(unknown->id);
      --submitted_;
      return;
    }
    auto& [id, measurement] = std::get<MeasurementEvent>(event);
    const std::int64_t row = recorder_.add(measurement);
    ++result_.progress.evaluated;
    ++result_.progress.by_status[measurement.status];
    const bool ran = measurement.status == Status::kMeasured || measurement.status == Status::kDropped;
    if (!ran && !measurement.reason.empty()) ++result_.reasons[reason_of(measurement)];
    rate(id, row, std::move(measurement));
  }

  // Tells the strategy, or keeps the measurement until its counters have come.
  void rate(std::uint64_t id, std::int64_t row, model::Measurement measurement) {
    const bool ran = measurement.status == Status::kMeasured || measurement.status == Status::kDropped;
    const double value = value_of(plan_.objective, measurement);
    const bool waits = ran && std::isnan(value) && !plan_.objective.is_time_like();
    if (!waits) {
      search_->tell(asked_.at(id), measurement.status, value);
      note_best(measurement, value);
      asked_.erase(id);
    }
    if (!ran) return;
    if (waits) {
      ++unrated_yet_;
    } else {
      measurement.configuration = {};
    }
    measurement.samples_ns = {};
    uncounted_[id] = {row, waits, std::move(measurement)};
  }

  static std::string reason_of(const model::Measurement& measurement) {
    return fmt::format("{}: {}", model::to_string(measurement.status), base::first_line(measurement.reason));
  }

  void note_best(const model::Measurement& measurement, double value) {
    if (!has_usable_time(measurement) || std::isnan(value)) return;
    SessionProgress& progress = result_.progress;
    if (progress.best_value && *progress.best_value <= value) return;
    progress.best_value = value;
    evaluated_at_best_ = progress.evaluated;
    progress.best_time = measurement.time;
    progress.best = measurement.configuration;
    if (plan_.objective.is_time()) evaluator_.set_incumbent(measurement.time.median_ns);
  }

  void take_counters_of(const CounterEvent& event) {
    const auto found = uncounted_.find(event.id);
    if (found == uncounted_.end()) return;
    Uncounted& row = found->second;
    const Status before = row.measurement.status;
    recorder_.add_counters(row.row, row.measurement, event.counters);
    if (row.measurement.status != before) withdraw(before, row.measurement.status);
    if (row.waits) rate_at_last(event.id, row);
    uncounted_.erase(found);
  }

  // A row is not what it seemed. If it was the best, others have raced against it.
  void withdraw(Status before, Status after) {
    SessionProgress& progress = result_.progress;
    if (--progress.by_status[before] == 0) progress.by_status.erase(before);
    ++progress.by_status[after];
    progress.best_value.reset();
    progress.best_time = {};
    progress.best = {};
    evaluator_.withdraw_incumbent();
    const auto rows =
        plan_.fresh ? store_.session_measurements(result_.session_id) : store_.measurements(plan_.subject);
    for (const db::StoredMeasurement& row : rows)
      note_best(row.measurement, value_of(plan_.objective, row.measurement));
  }

  void rate_at_last(std::uint64_t id, const Uncounted& row) {
    const double value = value_of(plan_.objective, row.measurement);
    search_->tell(asked_.at(id), row.measurement.status, value);
    note_best(row.measurement, value);
    if (std::isnan(value)) ++result_.unrated;
    asked_.erase(id);
    --unrated_yet_;
  }

  // Those whose counters never come are told, too: a strategy may wait for each.
  void take_counters() {
    std::vector<EvaluationEvent> events;
    for (CounterEvent& event : evaluator_.close_counters()) events.emplace_back(std::move(event));
    take_all(std::move(events));
    for (const auto& [id, row] : uncounted_) {
      if (row.waits) rate_at_last(id, row);
    }
    uncounted_.clear();
  }

  void report() {
    SessionProgress& progress = result_.progress;
    progress.elapsed_s = evaluator_.elapsed_s();
    std::optional<double> fraction;
    const auto at_least = [&](double part) {
      fraction = std::max(fraction.value_or(0.0), std::min(part, 1.0));
    };
    if (plan_.budget.seconds) at_least(progress.elapsed_s / *plan_.budget.seconds);
    if (plan_.budget.evaluations) {
      at_least(static_cast<double>(progress.evaluated) / static_cast<double>(*plan_.budget.evaluations));
    }
    const double known = plan_.fresh ? 0.0 : static_cast<double>(progress.known);
    at_least((known + static_cast<double>(progress.evaluated)) / static_cast<double>(progress.space_size));
    progress.fraction = fraction;
    listener_.on_event(progress);
  }

  void finish() {
    recorder_.note_roofs(evaluator_);
    std::vector<db::StoredMeasurement> rows = plan_.objective.is_time_like()
                                                  ? store_.uncounted_measurements(plan_.subject)
                                                  : store_.measurements(plan_.subject);
    list_implausible(rows);
    knowledge::Ranking ranking(std::move(rows), plan_.objective, plan_.default_configuration);
    const profiling::verification::PlausibilityCheck& plausibility = recorder_.plausibility();
    reject_implausible(plausibility, store_, listener_, ranking);
    result_.interrupted = result_.interrupted || cancellation_.is_cancelled();
    if (!result_.interrupted) {
      FinalsResult finals =
          run_finals(plan_, evaluator_, plausibility, store_, listener_, cancellation_, ranking);
      result_.tied = std::move(finals.tied);
      result_.imprecise = std::move(finals.imprecise);
      result_.interrupted = finals.interrupted;
    }
    recorder_.warn(evaluator_.take_warnings());
    recorder_.finish(result_.interrupted);
    if (const knowledge::RatedRow* best = ranking.best()) {
      result_.best = counted(best->stored);
      result_.best_value = best->value;
      result_.work_doubt = plausibility.doubt(*result_.best);
    }
    if (!result_.work_doubt) result_.work_doubt = recorder_.work_doubt();
    if (ranking.removed() > 0) list_implausible(store_.uncounted_measurements(plan_.subject));
    if (const db::StoredMeasurement* row = ranking.default_row()) result_.default_measurement = counted(*row);
  }

  void list_implausible(const std::vector<db::StoredMeasurement>& rows) {
    result_.implausible.clear();
    for (const db::StoredMeasurement& row : rows) {
      if (row.measurement.status == Status::kImplausible)
        result_.implausible.push_back({row.measurement.configuration, row.measurement.reason});
    }
  }

  model::Measurement counted(const db::StoredMeasurement& row) const {
    model::Measurement measurement = row.measurement;
    measurement.counters = store_.counters(row.id);
    return measurement;
  }

  const SessionPlan& plan_;
  Evaluator& evaluator_;
  db::Store& store_;
  SessionListener& listener_;
  const Cancellation& cancellation_;
  MeasurementRecorder recorder_;
  std::vector<EvaluationEvent> early_;  // Before the session began.
  std::optional<SessionSearch> search_;
  std::chrono::steady_clock::time_point saved_ = std::chrono::steady_clock::now();
  double roof_ns_ = 0.0;  // The least time of the work; 0: not known.
  std::unordered_map<std::uint64_t, model::Configuration> asked_;
  std::map<std::uint64_t, Uncounted> uncounted_;  // By candidate.
  std::size_t unrated_yet_ = 0;                   // Of them, those that wait.
  std::uint64_t next_id_ = 1;
  std::uint64_t submitted_ = 0;
  std::uint64_t evaluated_at_best_ = 0;
  SessionResult result_;
};

}  // namespace

SessionResult run_session(const SessionPlan& plan, Evaluator& evaluator, db::Store& store,
                          SessionListener& listener, const Cancellation& cancellation) {
  return RunningSession(plan, evaluator, store, listener, cancellation).run();
}

}  // namespace warptune::tuner::session
