#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/own_metrics.h"
#include "model/recording.h"
#include "profiling/timing/racing.h"

namespace warptune::bench {

/// One configuration's launches, as bench_sample_series recorded them.
struct Series {
  double first_ns = 0.0;
  std::vector<double> samples_ns;
  double median_ns = 0.0;  ///< Of all samples: the truth.
};

/// Of all measured rows.
inline std::vector<Series> series_of(const model::Recording& recording) {
  std::vector<Series> all;
  for (const model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured) continue;
    Series series;
    series.first_ns = row.counters.at(model::own_metric::kFirstLaunchNs);
    series.samples_ns = row.samples_ns;
    series.median_ns = row.time.median_ns;
    all.push_back(std::move(series));
  }
  return all;
}

/// What a session would have come to by the racing protocol.
struct Outcome {
  double gpu_share = 0.0;  ///< GPU time of all launches over that of `fixed` samples of each.
  double launches = 0.0;   ///< A configuration, the first included.
  double regret = 0.0;     ///< True median of the session's best over that of the best, less 1.
  bool kept_best = false;  ///< The truly best was measured, not dropped.
};

/// Races all series in an order, each against the best so far. `fixed`: samples of the protocol compared
/// with.
inline Outcome race_through(const std::vector<Series>& all, std::vector<std::size_t> order,
                            std::size_t fixed) {
  const profiling::timing::RacingProtocol protocol;
  Outcome outcome;
  double spent = 0.0;
  double fixed_ns = 0.0;
  double incumbent_ns = 0.0;
  std::size_t launches = 0;
  const Series* chosen = nullptr;
  const auto faster = [](const Series& a, const Series& b) { return a.median_ns < b.median_ns; };
  const Series* best = &*std::min_element(all.begin(), all.end(), faster);
  for (const std::size_t i : order) {
    const Series& series = all[i];
    profiling::timing::Race race(protocol, incumbent_ns);
    race.add_first(series.first_ns);
    spent += series.first_ns;
    ++launches;
    for (std::size_t k = 0;
         k < series.samples_ns.size() && race.verdict() == profiling::timing::RaceVerdict::kMore; ++k) {
      race.add(series.samples_ns[k]);
      spent += series.samples_ns[k];
      ++launches;
    }
    for (std::size_t k = 0; k < fixed && k < series.samples_ns.size(); ++k) fixed_ns += series.samples_ns[k];
    if (race.verdict() == profiling::timing::RaceVerdict::kDropped) continue;
    if (&series == best) outcome.kept_best = true;
    const double median_ns = model::summarise(race.samples_ns()).median_ns;
    if (incumbent_ns > 0.0 && median_ns >= incumbent_ns) continue;
    incumbent_ns = median_ns;
    chosen = &series;
  }
  outcome.gpu_share = spent / fixed_ns;
  outcome.launches = static_cast<double>(launches) / static_cast<double>(all.size());
  outcome.regret = chosen == nullptr ? 1.0 : chosen->median_ns / best->median_ns - 1.0;
  return outcome;
}

}  // namespace warptune::bench
