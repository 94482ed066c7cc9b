#include "search/analysis/timed_rows.h"

#include <cmath>

#include "model/row_sources.h"

namespace warptune::search::analysis {

bool has_time(const model::Measurement& measurement) {
  const bool timed =
      measurement.status == model::Status::kMeasured || measurement.status == model::Status::kDropped;
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  return timed && median_ns > 0.0 && std::isfinite(*median_ns);
}

const model::Measurement* fastest_of(const model::Recording& recording) {
  const std::optional<model::RowSource> source = model::best_source(recording.measurements);
  const model::Measurement* fastest = nullptr;
  for (const model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured || !has_time(row) || row.source > *source) continue;
    if (fastest == nullptr || row.time->median_ns < fastest->time->median_ns) fastest = &row;
  }
  return fastest;
}

std::optional<std::size_t> TimedRows::best() const {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < size(); ++i) {
    if (measurements[i]->status != model::Status::kMeasured) continue;
    if (!best || log_times[i] < log_times[*best]) best = i;
  }
  return best;
}

TimedRows timed_rows(const model::Recording& recording) {
  TimedRows rows;
  rows.recording = &recording;
  std::vector<model::Configuration> configurations = recording.configurations();
  const std::optional<model::RowSource> source = model::best_source(recording.measurements);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    const model::Measurement& measurement = recording.measurements[i];
    if (!has_time(measurement) || measurement.source > *source) continue;
    rows.configurations.push_back(std::move(configurations[i]));
    rows.measurements.push_back(&measurement);
    rows.log_times.push_back(std::log(measurement.time->median_ns));
    if (measurement.status == model::Status::kDropped) ++rows.estimated;
  }
  return rows;
}

TimedRows near_best(const TimedRows& rows, double ratio) {
  const std::optional<std::size_t> best = rows.best();
  if (!best) return rows;
  const double maximum = rows.log_times[*best] + std::log(ratio);
  TimedRows near;
  near.recording = rows.recording;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.log_times[i] > maximum) continue;
    near.configurations.push_back(rows.configurations[i]);
    near.measurements.push_back(rows.measurements[i]);
    near.log_times.push_back(rows.log_times[i]);
    if (rows.measurements[i]->status == model::Status::kDropped) ++near.estimated;
  }
  return near;
}

}  // namespace warptune::search::analysis
