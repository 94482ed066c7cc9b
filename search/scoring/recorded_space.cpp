#include "search/scoring/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "model/median.h"

namespace warptune::search::scoring {

namespace {

constexpr double kSecondsPerMs = 1e-3;

ReplayRow row_of(const model::Measurement& measurement) {
  ReplayRow row;
  row.status = measurement.status;
  row.measurement = &measurement;
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  const bool timed = row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
  if (timed && median_ns > 0.0 && std::isfinite(*median_ns)) {
    row.objective_ns = *median_ns;
  } else if (timed) {
    row.status = model::Status::kLaunchFailed;
  }
  for (const double cost_ms : {measurement.compile_ms, measurement.measure_ms}) {
    if (std::isfinite(cost_ms) && cost_ms > 0.0) row.cost_s += cost_ms * kSecondsPerMs;
  }
  return row;
}

}  // namespace

RecordedSpace::RecordedSpace(const model::Recording& recording)
    : recording_(&recording), space_(recording.listed_space()), rows_(space_.size()) {
  const std::vector<model::Configuration> configurations = recording.configurations();
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    rows_[*space_.index_of(configurations[i])] = row_of(recording.measurements[i]);
  }
  std::vector<double> costs_s;
  double measured_s = 0.0;
  double failing_s = 0.0;
  for (const ReplayRow& row : rows_) {
    costs_s.push_back(row.cost_s);
    if (row.status == model::Status::kMeasured) {
      times_ns_.push_back(row.objective_ns);
      measured_s += row.cost_s;
    } else {
      failing_s += row.cost_s;
    }
  }
  if (times_ns_.empty()) {
    throw base::InputError(
        fmt::format("none of the {} recorded configurations has a time to replay", rows_.size()));
  }
  std::sort(times_ns_.begin(), times_ns_.end());
  median_cost_s_ = model::median_of(costs_s).value_or(0.0);
  // In the definition of `mean_cost_s` in the header, the second summand is the share of failing rows times
  // the mean cost of one. That product is the summed cost of the failing rows, divided by the number of all
  // rows.
  mean_cost_s_ =
      measured_s / static_cast<double>(times_ns_.size()) + failing_s / static_cast<double>(rows_.size());
}

const ReplayRow& RecordedSpace::row(const model::Configuration& configuration) const {
  return rows_[*space_.index_of(configuration)];
}

double RecordedSpace::median_ns() const { return *model::median_of(times_ns_); }

}  // namespace warptune::search::scoring
