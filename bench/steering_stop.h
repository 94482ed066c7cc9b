#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/steering_search.h"
#include "search/scoring/run_figures.h"
#include "search/scoring/simulation.h"

namespace warptune::bench {

/// A rule that ends a search: the best so far is near the roof, and its counters show that it moves almost no
/// more bytes than necessary.
struct StopRule {
  double roof_share = 0.9;
  double max_bytes = 1.1;  ///< The maximum ratio of the bytes moved in device memory to the necessary bytes.
                           ///< Infinity means no limit.
  std::size_t patience = 0;  ///< The number of last evaluations without a gain of 0.3 %.
};

constexpr double kMinGain = 0.003;

/// The effect of a rule on several runs.
struct StopFigures {
  double stopped = 0.0;      ///< The share of runs that the rule ended.
  double evaluations = 0.0;  ///< The mean number of evaluations. A run that was not ended counts in full.
  double mean_loss = 0.0;    ///< The best at the stop divided by the best at the end, minus 1.
  double worst_loss = 0.0;
  double end_loss = 0.0;  ///< The mean of the best at the stop divided by the recorded best, minus 1.
};

/// The number of evaluations after which the rule ends a run; 0 if it never does.
inline std::size_t stops_after(const search::scoring::RecordedSpace& recorded, const steering::Told& told,
                               const StopRule& rule) {
  const model::Recording& recording = recorded.recording();
  const double roof_ns = model::roof_time_ns({0.0, recording.work.bytes}, recording.roofs).value_or(0.0);
  double best_ns = std::numeric_limits<double>::infinity();
  bool moves_few_bytes = false;
  double gained_ns = best_ns;  // The best at the last gain of at least kMinGain.
  std::size_t gained_at = 0;
  for (std::size_t i = 0; i < told.points.size(); ++i) {
    if (told.objectives[i] < best_ns) {
      best_ns = told.objectives[i];
      const model::Counters& counters =
          recorded.rows()[static_cast<std::size_t>(told.points[i])].measurement->counters;
      const auto bytes = counters.find("dram__bytes.sum");
      moves_few_bytes = std::isinf(rule.max_bytes) ||
                        (bytes != counters.end() && bytes->second <= rule.max_bytes * recording.work.bytes);
    }
    if (best_ns < gained_ns * (1 - kMinGain)) {
      gained_ns = best_ns;
      gained_at = i;
    }
    if (moves_few_bytes && roof_ns / best_ns >= rule.roof_share && i - gained_at >= rule.patience)
      return i + 1;
  }
  return 0;
}

inline StopFigures stop_figures(const search::scoring::RecordedSpace& recorded,
                                const std::vector<search::scoring::Trace>& traces,
                                const std::vector<steering::Told>& told, const StopRule& rule) {
  StopFigures figures;
  const auto runs = static_cast<double>(traces.size());
  for (std::size_t r = 0; r < traces.size(); ++r) {
    const std::size_t all = traces[r].points.size();
    const std::size_t stop = stops_after(recorded, told[r], rule);
    const std::size_t end = stop == 0 ? all : stop;
    const double loss = traces[r].best_after(end) / traces[r].best_after(all) - 1;
    figures.stopped += (stop > 0 ? 1 : 0) / runs;
    figures.evaluations += static_cast<double>(end) / runs;
    figures.mean_loss += loss / runs;
    figures.worst_loss = std::max(figures.worst_loss, loss);
    figures.end_loss += (traces[r].best_after(end) / recorded.best_ns() - 1) / runs;
  }
  return figures;
}

}  // namespace warptune::bench
