#include "tuner/html_report/report_workload.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/analysis/timed_rows.h"

namespace warptune::tuner::html_report {

using model::Measurement;
using model::Status;

ReportWorkload workload_of(model::Recording recording, std::string origin) {
  ReportWorkload workload;
  workload.origin = std::move(origin);
  ReportSession session;
  session.environment = recording.environment;
  session.measurements = recording.measurements;
  for (Measurement& row : session.measurements) row.counters.clear();
  workload.sessions.push_back(std::move(session));
  if (const Measurement* fastest = search::analysis::fastest_of(recording))
    workload.best_configuration = fastest->configuration;
  workload.recording = std::move(recording);
  return workload;
}

namespace {

SessionOrder sampled_order(const ReportSession& session) {
  SessionOrder order;
  order.by_time_stamps = session.sampled->by_time_stamps;
  order.count = session.sampled->evaluations;
  order.elapsed_s = session.sampled->elapsed_s;
  for (std::size_t i = 0; i < session.measurements.size(); ++i) {
    const SampledSession::Place& place = session.sampled->places[i];
    order.evaluations.push_back({&session.measurements[i], place.number, place.elapsed_s});
  }
  return order;
}

}  // namespace

SessionOrder order_of(const ReportSession& session) {
  if (session.sampled) return sampled_order(session);
  SessionOrder order;
  std::vector<const Measurement*> rows;
  rows.reserve(session.measurements.size());
  for (const Measurement& row : session.measurements) rows.push_back(&row);
  const auto by_stamp = [](const Measurement* a, const Measurement* b) {
    return a->time_stamp_ms < b->time_stamp_ms;
  };
  if (!rows.empty()) {
    const auto [first, last] = std::minmax_element(rows.begin(), rows.end(), by_stamp);
    order.by_time_stamps = (*first)->time_stamp_ms > 0 && (*first)->time_stamp_ms < (*last)->time_stamp_ms;
  }
  if (order.by_time_stamps) std::stable_sort(rows.begin(), rows.end(), by_stamp);
  double spent_ms = 0.0;
  // A time stamp is taken when the evaluation ends.
  std::int64_t start_ms = session.started_ms;
  if (order.by_time_stamps && start_ms == 0) {
    start_ms = rows.front()->time_stamp_ms -
               static_cast<std::int64_t>(rows.front()->compile_ms + rows.front()->measure_ms);
  }
  order.evaluations.reserve(rows.size());
  for (const Measurement* row : rows) {
    for (const double ms : {row->compile_ms, row->measure_ms}) {
      if (std::isfinite(ms)) spent_ms += ms;
    }
    const double passed_ms =
        order.by_time_stamps ? static_cast<double>(row->time_stamp_ms - start_ms) : spent_ms;
    order.evaluations.push_back({row, order.evaluations.size() + 1, std::max(0.0, passed_ms) / 1000.0});
  }
  order.count = order.evaluations.size();
  if (!order.evaluations.empty()) order.elapsed_s = order.evaluations.back().elapsed_s;
  return order;
}

std::vector<BestSoFar> best_so_far(const SessionOrder& order) {
  std::vector<BestSoFar> steps;
  for (const NumberedEvaluation& evaluation : order.evaluations) {
    const Measurement& row = *evaluation.measurement;
    if (row.status != Status::kMeasured || !search::analysis::has_time(row)) continue;
    const double time_ns = row.time->median_ns;
    if (steps.empty() || time_ns < steps.back().time_ns) steps.push_back({evaluation, time_ns});
  }
  return steps;
}

std::optional<std::size_t> row_of(const model::Recording& recording,
                                  const model::NamedValues& configuration) {
  const std::string key = model::key_of(configuration);
  for (std::size_t i = 0; i < recording.measurements.size(); ++i) {
    if (model::key_of(recording.measurements[i].configuration) == key) return i;
  }
  return std::nullopt;
}

}  // namespace warptune::tuner::html_report
