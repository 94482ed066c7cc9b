#include "tuner/replay/recorded_costs.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "model/median.h"

namespace warptune::tuner::replay {

namespace {

using model::Status;

// The medians of the 24 recordings of warptune's shipped kernels on an H200 (`recordings/` at 5bc402b8). The
// medians of the recordings range from 58 to 451 ms, and from 5.2 to 14.3 ms.
constexpr double kUsualCompileS = 0.159;
constexpr double kUsualMeasureS = 0.0097;
constexpr double kSecondsPerMs = 1e-3;

bool is_known(double ms) { return std::isfinite(ms) && ms > 0.0; }

bool reaches_gpu(Status status) {
  return status != Status::kCompileFailed && status != Status::kLaunchInvalid;
}

double median_or(std::vector<double> values, double usual) {
  const std::optional<double> median_ms = model::median_of(std::move(values));
  return median_ms ? kSecondsPerMs * *median_ms : usual;
}

}  // namespace

RecordedCosts::RecordedCosts(const search::scoring::RecordedSpace& recorded) {
  std::vector<double> compile_ms;
  std::vector<double> measure_ms;
  for (const search::scoring::ReplayRow& row : recorded.rows()) {
    if (is_known(row.measurement->compile_ms)) compile_ms.push_back(row.measurement->compile_ms);
    if (reaches_gpu(row.status) && is_known(row.measurement->measure_ms))
      measure_ms.push_back(row.measurement->measure_ms);
  }
  usual_compile_s_ = median_or(std::move(compile_ms), kUsualCompileS);
  usual_measure_s_ = median_or(std::move(measure_ms), kUsualMeasureS);
}

EvaluationCost RecordedCosts::of(const search::scoring::ReplayRow& row) const {
  const model::Measurement& measurement = *row.measurement;
  EvaluationCost cost;
  cost.uses_gpu = reaches_gpu(row.status);
  if (is_known(measurement.compile_ms)) {
    cost.compile_s = kSecondsPerMs * measurement.compile_ms;
  } else if (row.status != Status::kLaunchInvalid) {
    cost.compile_s = usual_compile_s_;
  }
  if (!cost.uses_gpu) return cost;
  cost.measure_s =
      is_known(measurement.measure_ms) ? kSecondsPerMs * measurement.measure_ms : usual_measure_s_;
  return cost;
}

double RecordedCosts::launch_s(const search::scoring::ReplayRow& row) const {
  const std::size_t samples = row.measurement->samples_ns.size();
  return of(row).measure_s / static_cast<double>(std::max<std::size_t>(samples, 1));
}

}  // namespace warptune::tuner::replay
