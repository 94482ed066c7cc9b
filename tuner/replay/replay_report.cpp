#include "tuner/replay/replay_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "search/scoring/aggregate_score.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/csv.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::replay {

namespace {

using Json = nlohmann::ordered_json;
using search::scoring::AtBudget;
using search::scoring::Reached;

std::string percent(double share) { return fmt::format("{:.0f} %", 100.0 * share); }

std::string number(const std::optional<double>& value, int digits) {
  return !value ? "-" : std::isinf(*value) ? "never" : fmt::format("{:.{}f}", *value, digits);
}

// Seconds with about three digits, and evaluations with at most one after the point.
std::string seconds(double value) { return number(value, value < 10.0 ? 2 : value < 100.0 ? 1 : 0); }
std::string evaluations(double value) { return number(value, value == std::floor(value) ? 0 : 1); }

// `60 (41-98)`, with the share of the runs that reached it if not all did.
std::string reached_cell(const EffortTo& reached, const std::function<std::string(double)>& text) {
  if (!reached) return "-";
  if (reached->share == 0.0) return "never";
  const std::string share = reached->share < 1.0 ? " " + percent(reached->share) : "";
  return fmt::format("{} ({}-{}){}", text(reached->median), text(reached->lower_quartile),
                     text(reached->upper_quartile), share);
}

std::string slow_down_cell(const StateAt& at) { return at ? number(at->slow_down, 3) : "-"; }

// A score, with a star if runs ended before the scored time was over.
template <class Figures>
std::string score_cell(const Figures& figures) {
  constexpr double kWhole = 0.98;
  return number(figures.score, 3) + (figures.score && figures.score_covered < kWhole ? "*" : "");
}

std::string p_text(double p) { return p < 1e-3 ? fmt::format("{:.0e}", p) : fmt::format("{:.3f}", p); }

std::string recordings_table(const std::vector<ReplayWorkload>& workloads) {
  text_output::TextTable table(
      {"recording", "configurations", "with a time", "best", "median", "cut-off 0.95"}, {1, 2, 3, 4, 5});
  for (const ReplayWorkload& workload : workloads) {
    const search::scoring::RecordedSpace& space = workload.space();
    const search::scoring::CutOff last = search::scoring::cut_off(space, search::scoring::kLastPercentile);
    table.add(
        {workload.name(), std::to_string(space.rows().size()), std::to_string(space.times_ns().size()),
         base::format_time_ns(space.best_ns()), base::format_time_ns(space.median_ns()),
         fmt::format("{}, {} s", base::counted(last.evaluations, "evaluation"), seconds(last.seconds))});
  }
  return table.text();
}

std::string overall_table(const ReplayFigures& figures) {
  std::vector<std::string> heading = {"strategy"};
  for (const std::uint64_t budget : figures.budgets) heading.push_back(fmt::format("slow-down @{}", budget));
  for (const std::uint64_t budget : figures.budgets) heading.push_back(fmt::format("10 % @{}", budget));
  heading.insert(heading.end(), {"P", "CPU us"});
  std::vector<std::size_t> right;
  for (std::size_t i = 1; i < heading.size(); ++i) right.push_back(i);
  text_output::TextTable table(heading, right);
  for (const StrategyFigures& strategy : figures.strategies) {
    std::vector<std::string> row = {strategy.strategy};
    for (const AtBudget& at : strategy.at) row.push_back(number(at.slow_down, 3));
    for (const AtBudget& at : strategy.at) row.push_back(number(at.within_share, 2));
    row.push_back(score_cell(strategy));
    row.push_back(number(strategy.cpu_us, 1));
    table.add(std::move(row));
  }
  return fmt::format(
      "Over {}: best found / recorded best (geometric mean), and share of runs within 10 % of the "
      "recorded best, after so many evaluations. Aggregate score P over {} of them (* runs ended before the "
      "scored time; their last best is used for the rest). CPU time of the strategy itself per "
      "evaluation\n\n{}",
      base::counted(figures.common.size(), "recording"), figures.scored.size(), table.text());
}

// How good the best is after so many seconds of a session. Empty if no session was simulated.
std::string seconds_table(const ReplayFigures& figures) {
  if (figures.seconds.empty()) return "";
  std::vector<std::string> heading = {"strategy"};
  std::vector<std::size_t> right;
  right.reserve(figures.seconds.size());
  for (const double moment_s : figures.seconds) {
    right.push_back(heading.size());
    heading.push_back(fmt::format("after {} s", moment_s));
  }
  text_output::TextTable table(heading, right);
  for (const StrategyFigures& strategy : figures.strategies) {
    std::vector<std::string> row = {strategy.strategy};
    for (const AtBudget& at : strategy.at_seconds) row.push_back(number(at.slow_down, 3));
    table.add(std::move(row));
  }
  return fmt::format(
      "\nSimulated sessions over {}: best found / recorded best (geometric mean) after so many seconds\n\n{}",
      base::counted(figures.common.size(), "recording"), table.text());
}

// A table with one column for each recording.
std::string table_by_recording(const std::string& title, const ReplayFigures& figures,
                               const std::vector<ReplayWorkload>& workloads,
                               const std::function<std::string(const RecordingFigures&)>& cell) {
  std::vector<std::string> heading = {"strategy"};
  std::vector<std::size_t> right;
  for (const ReplayWorkload& workload : workloads) {
    right.push_back(heading.size());
    heading.push_back(workload.name());
  }
  text_output::TextTable table(heading, right);
  for (const StrategyFigures& strategy : figures.strategies) {
    std::vector<std::string> row = {strategy.strategy};
    for (const RecordingFigures& recording : strategy.by_recording) row.push_back(cell(recording));
    table.add(std::move(row));
  }
  return "\n" + title + "\n\n" + table.text();
}

std::string comparison_table(const ReplayFigures& figures) {
  if (figures.comparisons.empty()) return "";
  const std::string& first = figures.strategies.front().strategy;
  text_output::TextTable table(
      {"strategy", "@", "slow-down over " + first + "'s", "excess of " + first + " / its",
       "recordings won-lost", "p", "runs won-lost", "p"},
      {1, 2, 3, 4, 5, 6, 7});
  for (const Comparison& comparison : figures.comparisons) {
    const search::scoring::SignedRankTest& recordings = comparison.over_recordings;
    const search::scoring::SignedRankTest& runs = comparison.over_runs;
    table.add({comparison.strategy, std::to_string(comparison.evaluations),
               fmt::format("{:.3f} [{:.3f}, {:.3f}]", comparison.ratio.mean, comparison.ratio.low,
                           comparison.ratio.high),
               std::isfinite(comparison.excess_ratio) ? number(comparison.excess_ratio, 2) : "-",
               fmt::format("{}-{}", recordings.above, recordings.below), p_text(comparison.adjusted_p),
               fmt::format("{}-{}", runs.above, runs.below), p_text(comparison.adjusted_p_runs)});
  }
  return fmt::format(
      "\nCompared with {}: ratio with its 95 % bootstrap interval; comparisons that {} won and lost. "
      "p is from Wilcoxon's two-sided signed-rank test, adjusted by Holm over all rows\n\n{}",
      first, first, table.text());
}

template <class Object>
std::optional<double> member_of(const std::optional<Object>& object, double Object::*member) {
  return object ? std::optional((*object).*member) : std::nullopt;
}

// Calls `entry(strategy, recording, figure, value)` for every figure.
template <class Entry>
void each_figure(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads, Entry entry) {
  const auto states = [&](const std::string& strategy, const auto& recording, const auto& at, auto when) {
    for (std::size_t i = 0; i < at.size(); ++i) {
      const StateAt state = at[i];
      entry(strategy, recording, "slow_down_" + when(i), member_of(state, &AtBudget::slow_down));
      entry(strategy, recording, "within_10_share_" + when(i), member_of(state, &AtBudget::within_share));
    }
  };
  const auto budget = [&](std::size_t b) { return fmt::format("at_{}", figures.budgets[b]); };
  const auto moment = [&](std::size_t s) { return fmt::format("after_{}_s", figures.seconds[s]); };
  for (const StrategyFigures& strategy : figures.strategies) {
    const std::string& name = strategy.strategy;
    states(name, "all", strategy.at, budget);
    states(name, "all", strategy.at_seconds, moment);
    entry(name, "all", "score", strategy.score);
    entry(name, "all", "score_covered_share", strategy.score_covered);
    entry(name, "all", "strategy_cpu_us", strategy.cpu_us);
    for (std::size_t i = 0; i < workloads.size(); ++i) {
      const RecordingFigures& recording = strategy.by_recording[i];
      const std::string& workload = workloads[i].name();
      states(name, workload, recording.at, budget);
      states(name, workload, recording.at_seconds, moment);
      if (!figures.seconds.empty()) entry(name, workload, "session_s_median", recording.session_s);
      entry(name, workload, "score", recording.score);
      entry(name, workload, "score_covered_share", recording.score_covered);
      for (std::size_t m = 0; m < kReplayMargins.size(); ++m) {
        const int margin = static_cast<int>(std::lround(100.0 * kReplayMargins[m]));
        const auto reached = [&](const std::string& unit, const EffortTo& effort) {
          const std::string figure = fmt::format("{}_to_{}_", unit, margin);
          entry(name, workload, figure + "median", member_of(effort, &Reached::median));
          entry(name, workload, figure + "lower_quartile", member_of(effort, &Reached::lower_quartile));
          entry(name, workload, figure + "upper_quartile", member_of(effort, &Reached::upper_quartile));
        };
        reached("evaluations", recording.evaluations_to[m]);
        reached("seconds", recording.seconds_to[m]);
        const auto share = member_of(recording.evaluations_to[m], &Reached::share);
        entry(name, workload, fmt::format("reached_{}_share", margin), share);
      }
    }
  }
}

Json test_json(const search::scoring::SignedRankTest& test, double adjusted_p) {
  return {{"won", test.above},
          {"lost", test.below},
          {"p", json_output::finite_or_null(test.p_value)},
          {"adjusted_p", json_output::finite_or_null(adjusted_p)}};
}

}  // namespace

std::string replay_text(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads) {
  std::string text = recordings_table(workloads) + "\n" + overall_table(figures) + seconds_table(figures);
  const auto add = [&](const std::string& title,
                       const std::function<std::string(const RecordingFigures&)>& cell) {
    text += table_by_recording(title, figures, workloads, cell);
  };
  for (std::size_t b = 0; b < figures.budgets.size(); ++b) {
    add(fmt::format("Best found / recorded best after {}", base::counted(figures.budgets[b], "evaluation")),
        [b](const RecordingFigures& recording) { return slow_down_cell(recording.at[b]); });
  }
  for (std::size_t s = 0; s < figures.seconds.size(); ++s) {
    add(fmt::format("Best found / recorded best after {} s", figures.seconds[s]),
        [s](const RecordingFigures& recording) { return slow_down_cell(recording.at_seconds[s]); });
  }
  if (!figures.seconds.empty()) {
    add("Duration of the session in s, final rounds included: median", [](const RecordingFigures& recording) {
      return recording.session_s ? seconds(*recording.session_s) : "-";
    });
  }
  for (std::size_t m = 0; m < kReplayMargins.size(); ++m) {
    add(fmt::format("Evaluations to within {} of the best: median (quartiles), share of runs that reached it",
                    percent(kReplayMargins[m])),
        [m](const RecordingFigures& recording) {
          return reached_cell(recording.evaluations_to[m], evaluations);
        });
  }
  for (std::size_t m = 0; m < kReplayMargins.size(); ++m) {
    add(fmt::format("Simulated seconds to within {} of the best: median (quartiles), share",
                    percent(kReplayMargins[m])),
        [m](const RecordingFigures& recording) { return reached_cell(recording.seconds_to[m], seconds); });
  }
  if (!figures.seconds.empty()) return text + comparison_table(figures);
  add("Aggregate score P: 0 is random search, 1 finds the best at once. * Runs ended before the scored time",
      [](const RecordingFigures& recording) { return score_cell(recording); });
  return text + comparison_table(figures);
}

std::string replay_json(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads) {
  Json report = json_output::json_head("replay");
  report["recordings"] = Json::array();
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const search::scoring::RecordedSpace& space = workloads[i].space();
    const search::scoring::CutOff last = search::scoring::cut_off(space, search::scoring::kLastPercentile);
    const bool is_scored = std::count(figures.scored.begin(), figures.scored.end(), i) != 0;
    report["recordings"].push_back({{"name", workloads[i].name()},
                                    {"configurations", space.rows().size()},
                                    {"measured", space.times_ns().size()},
                                    {"best_ns", space.best_ns()},
                                    {"median_configuration_ns", space.median_ns()},
                                    {"cut_off_evaluations", last.evaluations},
                                    {"cut_off_s", last.seconds},
                                    {"in_score", is_scored}});
  }
  Json& strategies = report["strategies"] = Json::object();
  const auto add = [&](const std::string& strategy, const std::string& recording, const std::string& figure,
                       const std::optional<double>& value) {
    strategies[strategy][recording][figure] = json_output::finite_or_null(value);
  };
  each_figure(figures, workloads, add);
  report["comparisons"] = Json::array();
  for (const Comparison& comparison : figures.comparisons) {
    report["comparisons"].push_back(
        {{"strategy", comparison.strategy},
         {"against", figures.strategies.front().strategy},
         {"evaluations", comparison.evaluations},
         {"slow_down_ratio", json_output::finite_or_null(comparison.ratio.mean)},
         {"slow_down_ratio_low", json_output::finite_or_null(comparison.ratio.low)},
         {"slow_down_ratio_high", json_output::finite_or_null(comparison.ratio.high)},
         {"excess_ratio", json_output::finite_or_null(comparison.excess_ratio)},
         {"over_recordings", test_json(comparison.over_recordings, comparison.adjusted_p)},
         {"over_runs", test_json(comparison.over_runs, comparison.adjusted_p_runs)}});
  }
  return json_output::to_text(report);
}

std::string replay_csv(const ReplayFigures& figures, const std::vector<ReplayWorkload>& workloads) {
  std::string text = "strategy,recording,figure,value\n";
  const auto add = [&](const std::string& strategy, const std::string& recording, const std::string& figure,
                       const std::optional<double>& value) {
    text += fmt::format("{},{},{},{}\n", text_output::csv_cell(strategy), text_output::csv_cell(recording),
                        figure, value ? fmt::format("{}", *value) : "");
  };
  each_figure(figures, workloads, add);
  return text;
}

}  // namespace warptune::tuner::replay
