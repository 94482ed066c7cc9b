// Scores a strategy against random search (Willemsen et al. 2024).
//
// The score at a time is (baseline - strategy) / (baseline - optimum). It does not depend on the unit or the
// size of a space, so that scores of several spaces can be averaged. The scored times span the part in which
// random search makes progress: from 1 % to 95 % of the way from the median to the best time.
//
// The baseline needs no runs. After n draws out of N, order statistics give the expected rank of the best.
//
// The curve of a strategy comes from all its runs. The best times so far become ranks in the recording,
// because ranks are less skewed than times. A decreasing regression over time is averaged over bootstrap
// samples and converted back to times.
#include "search/scoring/aggregate_score.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/random.h"
#include "model/median.h"
#include "search/scoring/curve_fits.h"

namespace warptune::search::scoring {

namespace {

constexpr double kMargin = 0.1;  // Points up to 10 % before and after the scored times also count.
constexpr int kBags = 20;        // The number of bootstrap samples.

std::vector<double> equally_spaced(double first, double last) {
  std::vector<double> values(kScoredTimes);
  const double step = (last - first) / static_cast<double>(kScoredTimes - 1);
  for (std::size_t i = 0; i < kScoredTimes; ++i) values[i] = first + step * static_cast<double>(i);
  values.back() = last;
  return values;
}

// The best time that random search is expected to have found after `evaluations`, by order statistics.
double expected_best_ns(const RecordedSpace& recorded, double evaluations) {
  const std::vector<double>& ascending = recorded.times_ns();
  const auto count = static_cast<double>(ascending.size());
  const double place = std::nearbyint(evaluations * (count + 1.0) / (evaluations + 1.0));
  const auto from_worst = static_cast<std::size_t>(std::min(count - 1.0, place));
  return ascending[ascending.size() - 1 - from_worst];
}

// The simulated times and the ranks of the best so far, from all runs.
struct PooledPoints {
  std::vector<double> seconds;
  std::vector<double> ranks;
};

PooledPoints pool(const RecordedSpace& recorded, std::span<const Trace> runs, double first_s, double last_s) {
  const std::vector<double>& ascending = recorded.times_ns();
  std::vector<std::pair<double, double>> points;
  for (const Trace& run : runs) {
    for (const TracePoint& point : run.points) {
      if (!point.seconds || !std::isfinite(point.best_ns)) continue;
      const bool within =
          *point.seconds >= first_s * (1.0 - kMargin) && *point.seconds <= last_s * (1.0 + kMargin);
      if (!within) continue;
      const auto rank =
          std::lower_bound(ascending.begin(), ascending.end(), point.best_ns) - ascending.begin();
      points.emplace_back(*point.seconds, static_cast<double>(rank));
    }
  }
  std::sort(points.begin(), points.end());
  PooledPoints pooled;
  for (const auto& [seconds, rank] : points) {
    pooled.seconds.push_back(seconds);
    pooled.ranks.push_back(rank);
  }
  return pooled;
}

// The median of the times at which the runs end, if these are known. After it their curve has no new
// information.
std::optional<double> median_end_s(std::span<const Trace> runs) {
  std::vector<double> ends;
  for (const Trace& run : runs) {
    if (run.points.empty() || !run.points.back().seconds) continue;
    const double end_s = *run.points.back().seconds;
    if (std::isfinite(end_s)) ends.push_back(end_s);
  }
  return model::median_of(std::move(ends));
}

}  // namespace

CutOff cut_off(const RecordedSpace& recorded, double percentile) {
  const std::vector<double>& ascending = recorded.times_ns();
  const double best = recorded.best_ns();
  const double limit = best + (recorded.median_ns() - best) * (1.0 - percentile);
  const auto reaching = std::upper_bound(ascending.begin(), ascending.end(), limit) - ascending.begin();
  const double worse = static_cast<double>(ascending.size()) - static_cast<double>(reaching);
  // The expected number of draws without replacement before one reaches the limit.
  const double evaluations = std::ceil(worse / (static_cast<double>(reaching) + 1.0));
  return {static_cast<std::uint64_t>(evaluations), evaluations * recorded.median_cost_s()};
}

std::vector<double> scored_times_s(const RecordedSpace& recorded) {
  return equally_spaced(cut_off(recorded, kFirstPercentile).seconds,
                        cut_off(recorded, kLastPercentile).seconds);
}

std::vector<double> random_baseline_ns(const RecordedSpace& recorded, std::span<const double> times_s) {
  std::vector<double> evaluations;
  std::vector<double> expected;
  double first = 1.0;
  double last = 1.0;
  for (const double time_s : times_s) {
    const double mean_cost_s = recorded.mean_cost_s();
    last = mean_cost_s > 0.0 ? std::max(1.0, std::nearbyint(time_s / mean_cost_s)) : 1.0;
    if (!evaluations.empty() && evaluations.back() == last) continue;
    if (evaluations.empty()) first = last;
    evaluations.push_back(last);
    expected.push_back(expected_best_ns(recorded, last));
  }
  if (evaluations.size() < 2) return std::vector<double>(times_s.size(), expected.front());
  return monotone_cubic(evaluations, expected, equally_spaced(first, last));
}

std::vector<double> strategy_curve_ns(const RecordedSpace& recorded, std::span<const Trace> runs,
                                      std::span<const double> times_s) {
  const PooledPoints points = pool(recorded, runs, times_s.front(), times_s.back());
  if (points.seconds.empty()) return {};
  std::vector<double> ranks(times_s.size(), 0.0);
  base::Random random(1);
  for (int bag = 0; bag < kBags; ++bag) {
    std::vector<double> weights(points.seconds.size(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) weights[random.below(weights.size())] += 1.0;
    const Curve curve = decreasing_regression(points.seconds, points.ranks, weights);
    for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] += curve.at(times_s[i]) / kBags;
  }
  const std::vector<double>& ascending = recorded.times_ns();
  const std::optional<double> end_s = median_end_s(runs);
  std::vector<double> curve_ns;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (end_s && times_s[i] > *end_s && !curve_ns.empty()) {
      curve_ns.push_back(curve_ns.back());
      continue;
    }
    const double rank = std::clamp(std::nearbyint(ranks[i]), 0.0, static_cast<double>(ascending.size() - 1));
    curve_ns.push_back(ascending[static_cast<std::size_t>(rank)]);
  }
  return curve_ns;
}

Score score(const RecordedSpace& recorded, std::span<const Trace> runs) {
  const std::vector<double> times_s = scored_times_s(recorded);
  const std::vector<double> curve_ns = strategy_curve_ns(recorded, runs, times_s);
  Score result;
  if (curve_ns.empty()) return result;
  const std::vector<double> baseline_ns = random_baseline_ns(recorded, times_s);
  double sum = 0.0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < times_s.size(); ++i) {
    const double gap = baseline_ns[i] - recorded.best_ns();
    if (!(gap > 0.0)) continue;  // Random search is expected to be at the optimum.
    sum += (baseline_ns[i] - curve_ns[i]) / gap;
    ++counted;
  }
  const std::optional<double> end_s = median_end_s(runs);
  result.covered = end_s ? std::min(1.0, *end_s / times_s.back()) : 1.0;
  if (counted > 0) result.mean = sum / static_cast<double>(counted);
  return result;
}

}  // namespace warptune::search::scoring
