#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "bench/steering_search.h"
#include "search/scoring/run_figures.h"
#include "search/scoring/significance.h"
#include "tuner/replay/strategy_replay.h"
#include "tuner/text_output/text_table.h"

namespace warptune::bench {

/// A variant of the search. Its runs are compared with those of the variant `against`.
struct Variant {
  std::string name;
  std::string against;
  SteeringInput input;
  FeatureTable features{};  ///< The features that `input` points to, if it has more than the parameters.
  std::vector<search::Observation> source{};  ///< If not empty, strategy `surrogate` runs with this source.
};

/// The results of all runs of a variant.
struct VariantRuns {
  std::vector<search::scoring::Trace> traces;
  std::vector<steering::Told> told;
  std::vector<double> compiled;
};

/// The comparison of a variant with the variant `against`. Each difference is between the logarithms of the
/// slow-downs of two runs with the same seed.
struct Comparison {
  std::string name;
  std::string against;
  std::vector<std::vector<double>> by_budget;  // For each budget, the differences of all runs.
  std::vector<std::vector<double>> means;      // For each budget, the mean difference of each recording.
};

/// Prints the slow-downs of each recording, and the gains of the variants over paired runs.
class SteeringReport {
 public:
  explicit SteeringReport(std::vector<std::uint64_t> budgets) : budgets_(std::move(budgets)) {}

  void print_recording(const tuner::replay::ReplayWorkload& workload, const std::deque<Variant>& variants,
                       const std::vector<VariantRuns>& results) const {
    std::vector<std::string> heading = {workload.name()};
    for (const std::uint64_t budget : budgets_) heading.push_back(fmt::format("@{}", budget));
    heading.insert(heading.end(), {"to 5 %", "to 1 %", "compiled", "CPU ms"});
    tuner::text_output::TextTable table(heading, {1, 2, 3, 4, 5, 6, 7, 8});
    for (std::size_t v = 0; v < variants.size(); ++v) {
      const std::vector<search::scoring::Trace>& traces = results[v].traces;
      std::vector<std::string> row = {variants[v].name};
      for (const std::uint64_t budget : budgets_)
        row.push_back(
            fmt::format("{:.3f}", search::scoring::at_budget(workload.space(), traces, budget).slow_down));
      for (const double margin : {0.05, 0.01})
        row.push_back(fmt::format(
            "{:.0f}", search::scoring::evaluations_to(workload.space(), traces, margin).value().median));
      double cpu_s = 0.0;
      double evaluations = 0.0;
      for (const search::scoring::Trace& trace : traces) {
        cpu_s += trace.strategy_cpu_s.value_or(0.0);
        evaluations += static_cast<double>(trace.points.size());
      }
      row.push_back(fmt::format("{:.0f}", search::scoring::mean_of(results[v].compiled)));
      row.push_back(fmt::format("{:.1f}", 1e3 * cpu_s / evaluations));
      table.add(row);
    }
    fmt::print("{}\n", table.text());
    std::fflush(stdout);
  }

  /// Adds the paired runs of a recording to the comparisons.
  void add(const tuner::replay::ReplayWorkload& workload, const std::deque<Variant>& variants,
           const std::vector<VariantRuns>& results) {
    for (std::size_t v = 0; v < variants.size(); ++v)
      if (!variants[v].against.empty()) compare(workload, variants, results, v);
  }

  /// Prints the ratio of slow-downs for each variant and budget. A ratio below 1 means that the variant is
  /// better. p is from Wilcoxon's test over the runs, with Holm's correction over the table.
  void print_comparisons() const {
    if (comparisons_.empty()) return;
    std::vector<double> p_values;
    for (const Comparison& comparison : comparisons_)
      for (const std::vector<double>& differences : comparison.by_budget)
        p_values.push_back(search::scoring::signed_rank_test(differences).p_value);
    const std::vector<double> adjusted = search::scoring::holm_adjusted(p_values);
    std::vector<std::string> heading = {"against", "variant", "recordings"};
    for (const std::uint64_t budget : budgets_)
      heading.insert(heading.end(), {fmt::format("@{}", budget), "p", "better/worse"});
    tuner::text_output::TextTable table(heading);
    std::size_t next = 0;
    for (const Comparison& comparison : comparisons_) {
      std::vector<std::string> row = {comparison.against, comparison.name,
                                      fmt::format("{}", comparison.means.front().size())};
      for (std::size_t b = 0; b < budgets_.size(); ++b) {
        const std::vector<double>& means = comparison.means[b];
        const auto better =
            std::count_if(means.begin(), means.end(), [](double mean) { return mean < -1e-4; });
        const auto worse = std::count_if(means.begin(), means.end(), [](double mean) { return mean > 1e-4; });
        row.push_back(fmt::format("{:.3f}", std::exp(search::scoring::mean_of(means))));
        row.push_back(fmt::format("{:.2g}", adjusted[next++]));
        row.push_back(fmt::format("{}/{}", better, worse));
      }
      table.add(row);
    }
    fmt::print("{}\n", table.text());
  }

 private:
  void compare(const tuner::replay::ReplayWorkload& workload, const std::deque<Variant>& variants,
               const std::vector<VariantRuns>& results, std::size_t variant) {
    std::size_t base = 0;
    while (variants[base].name != variants[variant].against) ++base;
    const std::string& name = variants[variant].name;
    auto found = std::find_if(comparisons_.begin(), comparisons_.end(),
                              [&](const Comparison& comparison) { return comparison.name == name; });
    if (found == comparisons_.end()) {
      const std::vector<std::vector<double>> none(budgets_.size());
      found = comparisons_.insert(found, {name, variants[variant].against, none, none});
    }
    for (std::size_t b = 0; b < budgets_.size(); ++b) {
      const auto own =
          search::scoring::log_slow_downs(workload.space(), results[variant].traces, budgets_[b]);
      const auto its = search::scoring::log_slow_downs(workload.space(), results[base].traces, budgets_[b]);
      std::vector<double> differences;
      for (std::size_t r = 0; r < own.size(); ++r) differences.push_back(own[r] - its[r]);
      found->by_budget[b].insert(found->by_budget[b].end(), differences.begin(), differences.end());
      found->means[b].push_back(search::scoring::mean_of(differences));
    }
  }

  std::vector<std::uint64_t> budgets_;
  std::vector<Comparison> comparisons_;
};

}  // namespace warptune::bench
