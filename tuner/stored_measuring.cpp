#include "tuner/stored_measuring.h"

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace warptune::tuner {

namespace {

constexpr std::chrono::milliseconds kTick{100};

std::int64_t unix_time_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace

StoredMeasuring::StoredMeasuring(db::Session session, const Budget& budget, Evaluator& evaluator,
                                 db::Store& store, const std::atomic<bool>& interrupt)
    : session_(std::move(session)),
      budget_(budget),
      evaluator_(evaluator),
      store_(store),
      interrupt_(interrupt) {}

StoredMeasuring::~StoredMeasuring() {
  if (!session_id_ || interrupt_.load()) return;
  try {
    store_.finish_session(*session_id_, unix_time_ms());
  } catch (const base::Error& error) {
    base::log_warning(error.what());
  }
}

void StoredMeasuring::begin() {
  if (session_id_) return;
  session_.environment = evaluator_.environment();
  session_.roofs = evaluator_.roofs();
  session_.budget = budget_.text;
  session_.started_ms = unix_time_ms();
  const std::vector<search::RoofReading> measured = evaluator_.new_roofs();
  if (!measured.empty()) store_.set_roofs(session_.subject.gpu, measured);
  session_id_ = store_.begin_session(session_);
}

bool StoredMeasuring::must_stop() {
  out_of_budget_ = out_of_budget_ || (budget_.seconds && evaluator_.elapsed_s() >= *budget_.seconds);
  return out_of_budget_ || interrupt_.load();
}

void StoredMeasuring::take_counters(const CounterEvent& event) {
  const auto found = rows_.find(event.id);
  if (found == rows_.end()) return;
  search::Measurement& row = found->second.measurement;
  for (const auto& [name, value] : event.counters) row.counters[name] = value;
  search::drop_disturbed_counters(row.counters, row.time.median_ns);
  store_.set_counters(found->second.id, row.counters);
}

void StoredMeasuring::take(EvaluationEvent& event) {
  if (const auto* counted = std::get_if<CounterEvent>(&event)) {
    take_counters(*counted);
    return;
  }
  auto* measured = std::get_if<MeasurementEvent>(&event);
  if (measured == nullptr) return;  // Unknown: nothing to store.
  begin();
  search::Measurement& row = measured->measurement;
  row.time_stamp_ms = unix_time_ms();
  search::drop_disturbed_counters(row.counters, row.time.median_ns);
  const std::int64_t id = store_.add_measurement(*session_id_, row);
  rows_[measured->id] = {id, std::move(row)};
}

std::vector<search::Measurement> StoredMeasuring::measure(
    const std::vector<search::NamedValues>& configurations) {
  std::size_t next = 0;
  bool stopped = false;
  while (true) {
    if (!stopped && must_stop()) {
      stopped = true;
      evaluator_.drop_waiting();
    }
    std::size_t wanted = stopped ? 0 : evaluator_.wanted();
    for (; wanted > 0 && next < configurations.size(); --wanted) {
      if (budget_.evaluations && next_id_ > *budget_.evaluations) {
        out_of_budget_ = stopped = true;
        break;
      }
      evaluator_.submit({next_id_++, configurations[next++]});
    }
    if (evaluator_.pending() == 0 && (stopped || next == configurations.size())) break;
    for (EvaluationEvent& event : evaluator_.wait(kTick)) take(event);
    for (const std::string& warning : evaluator_.take_warnings()) {
      if (on_warning) on_warning(warning);
    }
  }
  for (const CounterEvent& event : evaluator_.close_counters()) take_counters(event);
  std::vector<search::Measurement> measured;
  measured.reserve(rows_.size());
  for (auto& [id, row] : std::exchange(rows_, {})) measured.push_back(std::move(row.measurement));
  return measured;
}

}  // namespace warptune::tuner
