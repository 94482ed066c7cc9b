#include "search/scoring/run_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace warptune::search::scoring {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Reached reached(const RecordedSpace& recorded, std::span<const Trace> runs, double margin,
                const std::function<double(const Trace&, std::size_t)>& position) {
  const double limit = recorded.best_ns() * (1.0 + margin);
  std::vector<double> positions;
  std::size_t successes = 0;
  for (const Trace& run : runs) {
    const auto found = std::find_if(run.points.begin(), run.points.end(),
                                    [&](const TracePoint& point) { return point.best_ns <= limit; });
    const bool has_reached = found != run.points.end();
    if (has_reached) ++successes;
    positions.push_back(has_reached ? position(run, static_cast<std::size_t>(found - run.points.begin()))
                                    : kInfinity);
  }
  return {quantile(positions, 0.5), quantile(positions, 0.25), quantile(positions, 0.75),
          static_cast<double>(successes) / static_cast<double>(runs.size())};
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty() ||
      std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); })) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double rest = place - static_cast<double>(below);
  if (rest == 0.0) return values[below];
  if (std::isinf(values[below + 1])) return kInfinity;
  return values[below] + rest * (values[below + 1] - values[below]);
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Reached evaluations_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin) {
  return reached(recorded, runs, margin,
                 [](const Trace&, std::size_t index) { return static_cast<double>(index + 1); });
}

Reached seconds_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin) {
  return reached(recorded, runs, margin,
                 [](const Trace& run, std::size_t index) { return run.points[index].seconds; });
}

std::vector<double> log_slow_downs(const RecordedSpace& recorded, std::span<const Trace> runs,
                                   std::uint64_t evaluations) {
  std::vector<double> logs;
  for (const Trace& run : runs) {
    const double best_ns = std::min(run.best_after(evaluations), recorded.times_ns().back());
    logs.push_back(std::log(best_ns / recorded.best_ns()));
  }
  return logs;
}

AtBudget at_budget(const RecordedSpace& recorded, std::span<const Trace> runs, std::uint64_t evaluations,
                   double margin) {
  const std::vector<double> logs = log_slow_downs(recorded, runs, evaluations);
  const double limit = recorded.best_ns() * (1.0 + margin);
  const auto within = std::count_if(runs.begin(), runs.end(),
                                    [&](const Trace& run) { return run.best_after(evaluations) <= limit; });
  return {std::exp(mean_of(logs)), static_cast<double>(within) / static_cast<double>(runs.size())};
}

}  // namespace warptune::search::scoring
