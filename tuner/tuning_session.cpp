#include "tuner/tuning_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <unordered_map>

#include "base/log.h"
#include "base/text.h"
#include "db/lookup.h"
#include "search/strategy.h"

namespace warptune::tuner {

using search::Status;

namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kMostFinalists = 8;
constexpr double kFinalistRatio = 1.05;
constexpr int kMostFinalTurns = 3;
constexpr std::size_t kMostTransferred = 3;

std::int64_t unix_time_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// A time that is none would make every comparison false.
bool is_time(double time_ns) { return std::isfinite(time_ns) && time_ns > 0.0; }

// Whether it can rank.
bool has_time(const search::Measurement& measurement) {
  return measurement.status == Status::kMeasured && is_time(measurement.time.median_ns);
}

class RunningSession {
 public:
  RunningSession(const SessionPlan& plan, Evaluator& evaluator, db::Store& store, SessionObserver& observer,
                 const std::atomic<bool>& interrupt)
      : plan_(plan), evaluator_(evaluator), store_(store), observer_(observer), interrupt_(interrupt) {}

  SessionResult run() {
    begin();
    evaluate_all();
    take_counters();
    if (!result_.interrupted) confirm_best();
    finish();
    return std::move(result_);
  }

 private:
  void begin() {
    make_strategy();  // First: an unknown strategy leaves no session behind.
    db::Session session;
    session.subject = plan_.subject;
    session.environment = evaluator_.environment();
    session.roofs = evaluator_.roofs();
    session.work = plan_.work;
    session.strategy = plan_.strategy;
    session.seed = plan_.seed;
    session.budget = plan_.budget.text;
    session.replayed = plan_.replayed;
    session.started_ms = unix_time_ms();
    session.space_size = plan_.space.size();
    session.default_configuration = plan_.default_configuration;
    result_.session_id = store_.begin_session(session);
    result_.progress.space_size = plan_.space.size();
  }

  void make_strategy() {
    search::StrategyOptions options;
    options.seed = plan_.seed;
    options.evaluations = plan_.budget.evaluations;
    if (!plan_.budget.evaluations && !plan_.budget.seconds) options.evaluations = plan_.space.size();
    add_first(plan_.default_configuration, options);
    for (const search::NamedValues& configuration : transferred()) add_first(configuration, options);
    strategy_ = search::make_strategy(plan_.strategy, plan_.space, options);
    if (plan_.fresh) return;
    for (const db::StoredMeasurement& stored : store_.measurements(plan_.subject)) {
      const base::Result<search::Configuration> configuration =
          plan_.space.configuration_of(stored.measurement.configuration);
      if (!configuration) continue;
      if (stored.measurement.status == Status::kMeasured && !has_time(stored.measurement)) continue;
      tell(*configuration, stored.measurement);
      ++result_.progress.known;
      note_best(stored.measurement);
    }
  }

  // A dropped one without an estimate says no more than a failure.
  void tell(const search::Configuration& configuration, const search::Measurement& measurement) {
    const bool rated = is_time(measurement.time.median_ns);
    const bool unknown = measurement.status == Status::kDropped && !rated;
    strategy_->tell({configuration, unknown ? Status::kLaunchFailed : measurement.status,
                     rated ? measurement.time.median_ns : 0.0});
  }

  // The best of the same kernel for other sizes and GPUs: asked first.
  std::vector<search::NamedValues> transferred() const {
    db::Question question{plan_.subject.kernel,
                          plan_.subject.kernel_hash,
                          plan_.subject.problem,
                          plan_.subject.gpu,
                          {},
                          false,
                          {},
                          plan_.subject.cache};
    std::vector<db::Winner> winners = store_.winners(plan_.subject.kernel, plan_.subject.kernel_hash);
    std::vector<search::NamedValues> found;
    while (found.size() < kMostTransferred) {
      const db::Match match = db::look_up(winners, question);
      if (!match.winner) break;
      if (match.tier != db::MatchTier::kExact) found.push_back(match.configuration);
      const std::string taken =
          search::key_of(match.winner->subject.problem) + match.winner->subject.gpu.key();
      std::erase_if(winners, [&](const db::Winner& winner) {
        return search::key_of(winner.subject.problem) + winner.subject.gpu.key() == taken;
      });
    }
    return found;
  }

  void add_first(const search::NamedValues& configuration, search::StrategyOptions& options) const {
    if (configuration.empty()) return;
    const base::Result<search::Configuration> chosen = plan_.space.configuration_of(configuration);
    if (!chosen || !plan_.space.contains(*chosen)) return;
    if (std::find(options.first.begin(), options.first.end(), *chosen) == options.first.end())
      options.first.push_back(*chosen);
  }

  void evaluate_all() {
    bool asking = true;
    bool dropped = false;
    while (asking || evaluator_.pending() > 0) {
      result_.interrupted = result_.interrupted || interrupt_.load();
      const bool out_of_time = plan_.budget.seconds && evaluator_.elapsed_s() >= *plan_.budget.seconds;
      if (!dropped && (result_.interrupted || out_of_time)) {
        asking = false;
        dropped = true;
        evaluator_.drop_waiting();
      }
      if (asking) asking = submit_more();
      for (EvaluationEvent& event : evaluator_.wait(kTick)) take(event);
      for (const std::string& warning : evaluator_.take_warnings()) observer_.warning(warning);
      report();
    }
    result_.interrupted = result_.interrupted || interrupt_.load();
  }

  // False when nothing more is to be asked for.
  bool submit_more() {
    std::size_t count = evaluator_.wanted();
    if (plan_.budget.evaluations) {
      const std::uint64_t left = *plan_.budget.evaluations - std::min(*plan_.budget.evaluations, submitted_);
      if (left == 0) return false;
      count = static_cast<std::size_t>(std::min<std::uint64_t>(count, left));
    }
    if (count == 0) return true;
    const std::vector<search::Configuration> asked = strategy_->ask(count);
    if (asked.empty() && evaluator_.pending() == 0) {
      result_.exhausted = true;
      return false;
    }
    for (const search::Configuration& configuration : asked) {
      asked_.emplace(next_id_, configuration);
      evaluator_.submit({next_id_, plan_.space.values_of(configuration)});
      ++next_id_;
      ++submitted_;
    }
    return true;
  }

  void take(EvaluationEvent& event) {
    if (const auto* counted = std::get_if<CounterEvent>(&event)) {
      store_counters(*counted);
      return;
    }
    if (const auto* unknown = std::get_if<UnknownEvent>(&event)) {
      strategy_->tell({asked_.at(unknown->id), Status::kLaunchFailed, 0.0});
      --submitted_;
      return;
    }
    auto& [id, measurement] = std::get<MeasurementEvent>(event);
    measurement.time_stamp_ms = unix_time_ms();
    if (measurement.status == Status::kMeasured && !has_time(measurement)) {
      measurement.status = Status::kLaunchFailed;
      measurement.reason = fmt::format("its time is {}, which ranks nothing", measurement.time.median_ns);
    }
    search::drop_disturbed_counters(measurement.counters, measurement.time.median_ns);
    rows_[id] = {store_.add_measurement(result_.session_id, measurement), measurement.time.median_ns};
    tell(asked_.at(id), measurement);
    ++result_.progress.evaluated;
    ++result_.progress.by_status[measurement.status];
    const bool failed = measurement.status != Status::kMeasured && measurement.status != Status::kDropped;
    if (failed && !measurement.reason.empty()) ++result_.reasons[first_line(measurement)];
    note_best(measurement);
  }

  static std::string first_line(const search::Measurement& measurement) {
    return fmt::format("{}: {}", search::to_string(measurement.status),
                       measurement.reason.substr(0, measurement.reason.find('\n')));
  }

  void note_best(const search::Measurement& measurement) {
    if (!has_time(measurement)) return;
    SessionProgress& progress = result_.progress;
    if (progress.best_ns > 0.0 && progress.best_ns <= measurement.time.median_ns) return;
    progress.best_ns = measurement.time.median_ns;
    progress.best = measurement.configuration;
    evaluator_.set_incumbent(progress.best_ns);
  }

  void store_counters(const CounterEvent& event) {
    const auto row = rows_.find(event.id);
    if (row == rows_.end()) return;
    search::Counters counters = event.counters;
    search::drop_disturbed_counters(counters, row->second.median_ns);
    store_.set_counters(row->second.id, counters);
  }

  void take_counters() {
    for (const CounterEvent& event : evaluator_.close_counters()) store_counters(event);
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
    observer_.progress(progress);
  }

  // Measured rows of the subject, fastest first.
  std::vector<db::StoredMeasurement> ranked() const {
    std::vector<db::StoredMeasurement> rows = store_.measurements(plan_.subject);
    std::erase_if(rows, [](const db::StoredMeasurement& row) { return !has_time(row.measurement); });
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return a.measurement.time.median_ns < b.measurement.time.median_ns;
    });
    return rows;
  }

  // Times the best few and the default again in interleaved rounds, until the first of the ranking has been
  // among them: a low early median may be luck.
  void confirm_best() {
    std::set<std::int64_t> confirmed;
    for (int turn = 0; turn < kMostFinalTurns && plan_.final_rounds > 0; ++turn) {
      result_.interrupted = result_.interrupted || interrupt_.load();
      const std::vector<db::StoredMeasurement> rows = ranked();
      if (result_.interrupted || rows.empty() || confirmed.count(rows.front().id) != 0) break;
      std::vector<db::StoredMeasurement> finalists;
      for (const db::StoredMeasurement& row : rows) {
        const bool near =
            row.measurement.time.median_ns <= kFinalistRatio * rows.front().measurement.time.median_ns;
        if ((near && finalists.size() < kMostFinalists) || is_default(row.measurement))
          finalists.push_back(row);
      }
      // What people compare with is timed properly even where it was dropped as hopeless.
      if (std::optional<db::StoredMeasurement> dropped = dropped_default())
        finalists.push_back(*std::move(dropped));
      observer_.phase(fmt::format("confirming the best {} in {} interleaved rounds", finalists.size(),
                                  plan_.final_rounds));
      std::vector<search::NamedValues> configurations;
      configurations.reserve(finalists.size());
      for (const db::StoredMeasurement& row : finalists)
        configurations.push_back(row.measurement.configuration);
      const std::vector<std::vector<double>> samples =
          evaluator_.time_interleaved(configurations, plan_.final_rounds);
      if (samples.size() != finalists.size()) break;
      for (std::size_t i = 0; i < finalists.size(); ++i) {
        if (samples[i].empty()) continue;
        store_.set_time(finalists[i].id, search::summarise(samples[i]), samples[i]);
        confirmed.insert(finalists[i].id);
      }
    }
    find_ties(confirmed);
  }

  bool is_default(const search::Measurement& measurement) const {
    return search::key_of(measurement.configuration) == search::key_of(plan_.default_configuration);
  }

  std::optional<db::StoredMeasurement> dropped_default() const {
    for (db::StoredMeasurement& row : store_.measurements(plan_.subject)) {
      if (row.measurement.status == Status::kDropped && is_default(row.measurement)) return std::move(row);
    }
    return std::nullopt;
  }

  void find_ties(const std::set<std::int64_t>& confirmed) {
    const std::vector<db::StoredMeasurement> rows = ranked();
    for (const db::StoredMeasurement& row : rows) {
      const bool overlaps = row.measurement.time.low_ns <= rows.front().measurement.time.high_ns;
      if (row.id != rows.front().id && overlaps && confirmed.count(row.id) != 0)
        result_.tied.push_back(row.measurement.configuration);
    }
  }

  void finish() {
    if (!result_.interrupted) store_.finish_session(result_.session_id, unix_time_ms());
    for (const db::StoredMeasurement& row : ranked()) {
      if (!result_.best) result_.best = row.measurement;
      if (is_default(row.measurement)) result_.default_measurement = row.measurement;
    }
    if (result_.default_measurement) return;
    if (std::optional<db::StoredMeasurement> dropped = dropped_default())
      result_.default_measurement = std::move(dropped->measurement);
  }

  const SessionPlan& plan_;
  Evaluator& evaluator_;
  db::Store& store_;
  SessionObserver& observer_;
  const std::atomic<bool>& interrupt_;
  std::unique_ptr<search::Strategy> strategy_;
  std::unordered_map<std::uint64_t, search::Configuration> asked_;
  struct Row {
    std::int64_t id = 0;
    double median_ns = 0.0;
  };
  std::unordered_map<std::uint64_t, Row> rows_;  // By candidate.
  std::uint64_t next_id_ = 1;
  std::uint64_t submitted_ = 0;
  SessionResult result_;
};

}  // namespace

SessionResult run_session(const SessionPlan& plan, Evaluator& evaluator, db::Store& store,
                          SessionObserver& observer, const std::atomic<bool>& interrupt) {
  return RunningSession(plan, evaluator, store, observer, interrupt).run();
}

}  // namespace warptune::tuner
