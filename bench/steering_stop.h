#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "bench/steering_search.h"
#include "search/scoring/run_figures.h"
#include "search/scoring/simulation.h"

namespace warptune::bench {

/// When a search may end: the best so far comes near the roof, and counters say that it moves no more than
/// it must.
struct StopRule {
  double roof_share = 0.9;
  double max_bytes = 1.1;    ///< Of device memory over the least that must move; infinite: not asked for.
  std::size_t patience = 0;  ///< Evaluations without a gain of 0.3 % at the end.
};

constexpr double kMinGain = 0.003;

/// What a rule does to runs, as shares and means over them.
struct StopFigures {
  double stopped = 0.0;      ///< Share of the runs.
  double evaluations = 0.0;  ///< Mean, those not stopped with their whole length.
  double mean_loss = 0.0;    ///< Best at the stop over best at the end, less 1.
  double worst_loss = 0.0;
  double end_loss = 0.0;  ///< Best at the stop over the best recorded, less 1: mean.
};

/// The evaluation after which the rule ends a run; 0 for never.
inline std::size_t stops_after(const search::scoring::RecordedSpace& recorded, const steering::Told& told,
                               const StopRule& rule) {
  const model::Recording& recording = recorded.recording();
  const double roof_ns = model::roof_time_ns({0.0, recording.work.bytes}, recording.roofs).value_or(0.0);
  double best_ns = std::numeric_limits<double>::infinity();
  bool is_compulsory = false;
  double gained_ns = best_ns;  // The best at the last gain that counts.
  std::size_t gained_at = 0;
  for (std::size_t i = 0; i < told.points.size(); ++i) {
    if (told.objectives[i] < best_ns) {
      best_ns = told.objectives[i];
      const model::Counters& counters =
          recorded.rows()[static_cast<std::size_t>(told.points[i])].measurement->counters;
      const auto bytes = counters.find("dram__bytes.sum");
      is_compulsory = std::isinf(rule.max_bytes) ||
                      (bytes != counters.end() && bytes->second <= rule.max_bytes * recording.work.bytes);
    }
    if (best_ns < gained_ns * (1 - kMinGain)) {
      gained_ns = best_ns;
      gained_at = i;
    }
    if (is_compulsory && roof_ns / best_ns >= rule.roof_share && i - gained_at >= rule.patience) return i + 1;
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
