// Computes the figures of a replay: of each strategy on each recording, of each strategy over all recordings,
// and of each compared with the first.
//
// Slow-downs (best found / recorded best) are ratios, so they are averaged by the geometric mean and compared
// by differences of their logarithms. Each recording has the same weight, however many runs it has. Overall
// figures use only recordings of which every strategy has runs, because recordings differ in difficulty.
//
// Comparisons are paired: the recordings are the same, and runs of equal repeat use the same seed. The
// interval of a ratio is a bootstrap over recordings and then over runs (`search::scoring::bootstrap_mean`).
// The p values are those of Wilcoxon's signed-rank test, which assumes no normal distribution. They are
// computed once over the means of the recordings and once over all runs. Holm's method adjusts them over all
// comparisons of the table, because many comparisons are made at once.
#include "tuner/replay/replay_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"
#include "search/scoring/aggregate_score.h"

namespace warptune::tuner::replay {

namespace {

std::vector<std::uint64_t> budgets_of(const std::vector<StrategyRuns>& runs) {
  std::size_t longest = 0;
  for (const StrategyRuns& strategy : runs) {
    for (const auto& recording : strategy.by_recording) {
      for (const search::scoring::Trace& trace : recording) longest = std::max(longest, trace.points.size());
    }
  }
  std::vector<std::uint64_t> budgets;
  for (const std::uint64_t budget : kReplayBudgets) {
    if (budget <= longest) budgets.push_back(budget);
  }
  if (budgets.empty() && longest > 0) budgets.push_back(longest);
  return budgets;
}

// Empty if no session was simulated.
std::vector<double> seconds_of(const std::vector<StrategyRuns>& runs) {
  double longest_s = 0.0;
  for (const StrategyRuns& strategy : runs) {
    for (const auto& recording : strategy.by_recording) {
      for (const search::scoring::Trace& trace : recording) {
        if (trace.session_s && !trace.points.empty())
          longest_s = std::max(longest_s, trace.points.back().seconds.value_or(0.0));
      }
    }
  }
  std::vector<double> seconds;
  for (const double moment_s : kReplaySeconds) {
    if (moment_s <= longest_s) seconds.push_back(moment_s);
  }
  if (seconds.empty() && longest_s > 0.0) seconds.push_back(kReplaySeconds.front());
  return seconds;
}

std::vector<std::size_t> common_recordings(const std::vector<StrategyRuns>& runs, std::size_t count) {
  std::vector<std::size_t> common;
  for (std::size_t i = 0; i < count; ++i) {
    const bool everywhere = std::all_of(runs.begin(), runs.end(), [&](const StrategyRuns& strategy) {
      return !strategy.by_recording[i].empty();
    });
    if (everywhere) common.push_back(i);
  }
  if (common.empty()) throw base::InputError("the strategies have no recording in common");
  return common;
}

std::vector<std::size_t> scored_recordings(const std::vector<std::size_t>& common,
                                           const std::vector<ReplayWorkload>& workloads) {
  std::vector<std::size_t> scored;
  for (const std::size_t i : common) {
    const search::scoring::CutOff last =
        search::scoring::cut_off(workloads[i].space(), search::scoring::kLastPercentile);
    if (last.evaluations >= search::scoring::kMinCutOff) scored.push_back(i);
  }
  return scored.empty() ? common : scored;
}

// No value if a run is not that of a simulated session.
std::optional<double> median_session_s(const std::vector<search::scoring::Trace>& runs) {
  std::vector<double> sessions_s;
  sessions_s.reserve(runs.size());
  for (const search::scoring::Trace& run : runs) {
    if (!run.session_s) return std::nullopt;
    sessions_s.push_back(*run.session_s);
  }
  return search::scoring::quantile(std::move(sessions_s), 0.5);
}

RecordingFigures figures_of(const search::scoring::RecordedSpace& space,
                            const std::vector<search::scoring::Trace>& runs, const ReplayFigures& all) {
  RecordingFigures figures;
  if (runs.empty()) {
    figures.at.resize(all.budgets.size());
    figures.at_seconds.resize(all.seconds.size());
    return figures;
  }
  for (const std::uint64_t budget : all.budgets)
    figures.at.push_back(search::scoring::at_budget(space, runs, budget));
  for (const double seconds : all.seconds)
    figures.at_seconds.push_back(search::scoring::at_seconds(space, runs, seconds));
  figures.session_s = median_session_s(runs);
  for (std::size_t i = 0; i < kReplayMargins.size(); ++i) {
    figures.evaluations_to[i] = search::scoring::evaluations_to(space, runs, kReplayMargins[i]);
    figures.seconds_to[i] = search::scoring::seconds_to(space, runs, kReplayMargins[i]);
  }
  if (!all.seconds.empty()) return figures;  // The score's baseline evaluates one after another.
  const search::scoring::Score score = search::scoring::score(space, runs);
  figures.score = score.mean;
  figures.score_covered = score.covered;
  return figures;
}

std::optional<double> cpu_us_of(const StrategyRuns& runs) {
  double seconds = 0.0;
  std::size_t evaluations = 0;
  for (const auto& recording : runs.by_recording) {
    for (const search::scoring::Trace& trace : recording) {
      if (!trace.strategy_cpu_s) return std::nullopt;
      seconds += *trace.strategy_cpu_s;
      evaluations += trace.points.size();
    }
  }
  if (evaluations == 0) return std::nullopt;
  return 1e6 * seconds / static_cast<double>(evaluations);
}

// The mean of the scores. No value if one of them is undefined.
std::optional<double> mean_score(const std::vector<RecordingFigures>& figures,
                                 const std::vector<std::size_t>& recordings) {
  double sum = 0.0;
  for (const std::size_t i : recordings) {
    if (!figures[i].score) return std::nullopt;
    sum += *figures[i].score;
  }
  return sum / static_cast<double>(recordings.size());
}

StrategyFigures figures_of(const StrategyRuns& runs, const std::vector<ReplayWorkload>& workloads,
                           const ReplayFigures& all) {
  StrategyFigures figures;
  figures.strategy = runs.strategy;
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    figures.by_recording.push_back(figures_of(workloads[i].space(), runs.by_recording[i], all));
  }
  // Every strategy has runs of the common recordings.
  const auto mean_state = [&](std::vector<StateAt> RecordingFigures::*states,
                              std::size_t i) -> search::scoring::AtBudget {
    double logs = 0.0;
    double shares = 0.0;
    for (const std::size_t recording : all.common) {
      const search::scoring::AtBudget& state = (figures.by_recording[recording].*states)[i].value();
      logs += std::log(state.slow_down);
      shares += state.within_share;
    }
    const auto count = static_cast<double>(all.common.size());
    return {std::exp(logs / count), shares / count};
  };
  for (std::size_t b = 0; b < all.budgets.size(); ++b)
    figures.at.push_back(mean_state(&RecordingFigures::at, b));
  for (std::size_t s = 0; s < all.seconds.size(); ++s)
    figures.at_seconds.push_back(mean_state(&RecordingFigures::at_seconds, s));
  figures.score = mean_score(figures.by_recording, all.scored);
  figures.score_covered = 1.0;
  for (const std::size_t i : all.scored) {
    figures.score_covered =
        std::min(figures.score_covered, figures.by_recording[i].score_covered.value_or(1.0));
  }
  figures.cpu_us = cpu_us_of(runs);
  return figures;
}

// The log slow-downs of one strategy minus those of the first: a list for each recording, in which the runs
// are paired by their position.
std::vector<std::vector<double>> paired_differences(const StrategyRuns& first, const StrategyRuns& other,
                                                    const std::vector<ReplayWorkload>& workloads,
                                                    const std::vector<std::size_t>& recordings,
                                                    std::uint64_t evaluations) {
  std::vector<std::vector<double>> all;
  for (const std::size_t i : recordings) {
    const auto a = search::scoring::log_slow_downs(workloads[i].space(), first.by_recording[i], evaluations);
    const auto b = search::scoring::log_slow_downs(workloads[i].space(), other.by_recording[i], evaluations);
    std::vector<double>& differences = all.emplace_back();
    for (std::size_t run = 0; run < std::min(a.size(), b.size()); ++run) {
      differences.push_back(b[run] - a[run]);
    }
  }
  return all;
}

Comparison compare(const std::vector<StrategyRuns>& runs, std::size_t other, std::size_t budget,
                   const std::vector<ReplayWorkload>& workloads, const ReplayFigures& all) {
  Comparison comparison;
  comparison.strategy = runs[other].strategy;
  comparison.evaluations = all.budgets[budget];
  comparison.excess_ratio =
      (all.strategies[0].at[budget].slow_down - 1.0) / (all.strategies[other].at[budget].slow_down - 1.0);
  const std::vector<std::vector<double>> differences =
      paired_differences(runs[0], runs[other], workloads, all.common, comparison.evaluations);
  comparison.ratio = search::scoring::bootstrap_mean(differences).value();
  for (double* value : {&comparison.ratio.mean, &comparison.ratio.low, &comparison.ratio.high}) {
    *value = std::exp(*value);
  }
  std::vector<double> every;
  for (const std::vector<double>& recording : differences) {
    every.insert(every.end(), recording.begin(), recording.end());
  }
  std::vector<double> means;
  for (const std::size_t i : all.common) {
    means.push_back(std::log(all.strategies[other].by_recording[i].at[budget]->slow_down /
                             all.strategies[0].by_recording[i].at[budget]->slow_down));
  }
  comparison.over_recordings = search::scoring::signed_rank_test(means);
  comparison.over_runs = search::scoring::signed_rank_test(every);
  return comparison;
}

void adjust(std::vector<Comparison>& comparisons) {
  std::vector<double> recordings;
  std::vector<double> runs;
  for (const Comparison& comparison : comparisons) {
    recordings.push_back(comparison.over_recordings.p_value);
    runs.push_back(comparison.over_runs.p_value);
  }
  recordings = search::scoring::holm_adjusted(recordings);
  runs = search::scoring::holm_adjusted(runs);
  for (std::size_t i = 0; i < comparisons.size(); ++i) {
    comparisons[i].adjusted_p = recordings[i];
    comparisons[i].adjusted_p_runs = runs[i];
  }
}

}  // namespace

ReplayFigures replay_figures(const std::vector<StrategyRuns>& runs,
                             const std::vector<ReplayWorkload>& workloads) {
  std::set<std::string> names;
  for (const StrategyRuns& strategy : runs) {
    if (!names.insert(strategy.strategy).second) {
      throw base::InputError(
          fmt::format("two strategies are named {}; rename it in the traces", strategy.strategy));
    }
  }
  ReplayFigures all;
  all.budgets = budgets_of(runs);
  all.seconds = seconds_of(runs);
  all.common = common_recordings(runs, workloads.size());
  all.scored = scored_recordings(all.common, workloads);
  for (const StrategyRuns& strategy : runs) {
    all.strategies.push_back(figures_of(strategy, workloads, all));
  }
  for (std::size_t other = 1; other < runs.size(); ++other) {
    for (std::size_t budget = 0; budget < all.budgets.size(); ++budget) {
      all.comparisons.push_back(compare(runs, other, budget, workloads, all));
    }
  }
  adjust(all.comparisons);
  return all;
}

}  // namespace warptune::tuner::replay
