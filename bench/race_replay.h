#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/own_metrics.h"
#include "model/recording.h"
#include "profiling/timing/racing.h"

namespace warptune::bench {

/// The launches of one configuration, as bench_sample_series recorded them.
struct Series {
  double first_ns = 0.0;
  std::vector<double> samples_ns;
  double median_ns = 0.0;  ///< The median of all samples. It counts as the true time.
};

/// The series of all measured rows.
inline std::vector<Series> series_of(const model::Recording& recording) {
  std::vector<Series> all;
  for (const model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured || !row.time) continue;
    Series series;
    series.first_ns = row.counters.at(model::own_metric::kFirstLaunchNs);
    series.samples_ns = row.samples_ns;
    series.median_ns = row.time->median_ns;
    all.push_back(std::move(series));
  }
  return all;
}

/// The result that a session would have reached with the racing protocol.
struct Outcome {
  double gpu_share =
      0.0;  ///< The GPU time of all launches, divided by that of `fixed` samples of each series.
  double launches = 0.0;   ///< The mean number of launches of a configuration, including the first.
  double regret = 0.0;     ///< The true median of the session's choice divided by that of the best, minus 1.
  bool kept_best = false;  ///< Whether the true best was measured to the end and not dropped.
};

/// Replays all series in the given order, each one against the best so far. The GPU time is compared with
/// that of a protocol without a race, in which each configuration has `fixed` samples.
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
    const double median_ns = model::summarise(race.samples_ns()).value().median_ns;
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
