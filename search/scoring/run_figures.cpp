#include "search/scoring/run_figures.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace warptune::search::scoring {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<Reached> reached(
    const RecordedSpace& recorded, std::span<const Trace> runs, double margin,
    const std::function<std::optional<double>(const Trace&, std::size_t)>& position) {
  if (runs.empty()) return std::nullopt;
  const double limit = recorded.best_ns() * (1.0 + margin);
  std::vector<double> positions;
  std::size_t successes = 0;
  for (const Trace& run : runs) {
    const auto found = std::find_if(run.points.begin(), run.points.end(),
                                    [&](const TracePoint& point) { return point.best_ns <= limit; });
    if (found == run.points.end()) {
      positions.push_back(kInfinity);
      continue;
    }
    const std::optional<double> at = position(run, static_cast<std::size_t>(found - run.points.begin()));
    if (!at) return std::nullopt;
    positions.push_back(*at);
    ++successes;
  }
  return Reached{quantile(positions, 0.5), quantile(positions, 0.25), quantile(positions, 0.75),
                 static_cast<double>(successes) / static_cast<double>(runs.size())};
}

std::vector<double> bests_after(std::span<const Trace> runs, std::uint64_t evaluations) {
  std::vector<double> bests_ns;
  bests_ns.reserve(runs.size());
  for (const Trace& run : runs) bests_ns.push_back(run.best_after(evaluations));
  return bests_ns;
}

std::vector<double> log_slow_downs_of(const RecordedSpace& recorded, const std::vector<double>& bests_ns) {
  std::vector<double> logs;
  logs.reserve(bests_ns.size());
  for (const double best_ns : bests_ns)
    logs.push_back(std::log(std::min(best_ns, recorded.times_ns().back()) / recorded.best_ns()));
  return logs;
}

AtBudget state_of(const RecordedSpace& recorded, const std::vector<double>& bests_ns, double margin) {
  const double limit = recorded.best_ns() * (1.0 + margin);
  const auto within =
      std::count_if(bests_ns.begin(), bests_ns.end(), [&](double best_ns) { return best_ns <= limit; });
  return {std::exp(mean_of(log_slow_downs_of(recorded, bests_ns))),
          static_cast<double>(within) / static_cast<double>(bests_ns.size())};
}

}  // namespace

double quantile(std::vector<double> values, double share) {
  if (values.empty()) throw std::invalid_argument("a quantile needs values");
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

std::optional<Reached> evaluations_to(const RecordedSpace& recorded, std::span<const Trace> runs,
                                      double margin) {
  return reached(recorded, runs, margin,
                 [](const Trace&, std::size_t index) { return static_cast<double>(index + 1); });
}

std::optional<Reached> seconds_to(const RecordedSpace& recorded, std::span<const Trace> runs, double margin) {
  return reached(recorded, runs, margin,
                 [](const Trace& run, std::size_t index) { return run.points[index].seconds; });
}

std::vector<double> log_slow_downs(const RecordedSpace& recorded, std::span<const Trace> runs,
                                   std::uint64_t evaluations) {
  return log_slow_downs_of(recorded, bests_after(runs, evaluations));
}

AtBudget at_budget(const RecordedSpace& recorded, std::span<const Trace> runs, std::uint64_t evaluations,
                   double margin) {
  return state_of(recorded, bests_after(runs, evaluations), margin);
}

AtBudget at_seconds(const RecordedSpace& recorded, std::span<const Trace> runs, double seconds,
                    double margin) {
  std::vector<double> bests_ns;
  bests_ns.reserve(runs.size());
  for (const Trace& run : runs) bests_ns.push_back(run.best_after_seconds(seconds));
  return state_of(recorded, bests_ns, margin);
}

}  // namespace warptune::search::scoring
