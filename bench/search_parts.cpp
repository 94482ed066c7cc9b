// Measures the contribution of each part of the surrogate. It runs over recordings with all parts, and with
// each part switched off, from the same seeds.
#include <fmt/format.h>

#include <cmath>
#include <deque>
#include <iostream>
#include <string>
#include <vector>

#include "bench/program.h"
#include "db/recording_file.h"
#include "search/scoring/recorded_space.h"
#include "search/scoring/run_figures.h"
#include "search/scoring/significance.h"
#include "search/scoring/simulation.h"
#include "search/strategies/surrogate.h"
#include "tuner/text_output/text_table.h"

namespace warptune::bench {

namespace {

using search::strategies::SurrogateParts;

struct Variant {
  std::string name;
  SurrogateParts parts;
};

std::vector<Variant> variants() {
  std::vector<Variant> all = {{"all parts", {}}};
  const auto without = [&](const std::string& name, auto change) {
    SurrogateParts parts;
    change(parts);
    all.push_back({name, parts});
  };
  without("no alignment columns", [](SurrogateParts& p) { p.alignment = false; });
  without("no compression", [](SurrogateParts& p) { p.compression = false; });
  without("any starts", [](SurrogateParts& p) { p.distant_starts = false; });
  without("no validity", [](SurrogateParts& p) { p.validity = false; });
  without("no neighbours", [](SurrogateParts& p) { p.neighbours = false; });
  without("1024 candidates", [](SurrogateParts& p) { p.candidates = 1024; });
  without("whole space as candidates", [](SurrogateParts& p) { p.candidates = 1000000; });
  return all;
}

constexpr std::uint64_t kBudgets[] = {20, 50, 100, 200};

// For each budget and recording, the logarithms of the slow-downs of the runs.
using Outcomes = std::vector<std::vector<std::vector<double>>>;

Outcomes run(const SurrogateParts& parts, const std::vector<search::scoring::RecordedSpace>& recordings,
             std::uint64_t repeats, std::uint64_t evaluations) {
  Outcomes outcomes(std::size(kBudgets));
  for (const search::scoring::RecordedSpace& recorded : recordings) {
    std::vector<search::scoring::Trace> runs;
    for (std::uint64_t seed = 1; seed <= repeats; ++seed) {
      search::scoring::SimulationOptions options;
      options.budget.evaluations = evaluations;
      options.seed = seed;
      search::StrategyOptions given;
      given.seed = seed;
      given.evaluations = evaluations;
      const auto strategy = search::strategies::make_surrogate(recorded.space(), given, parts);
      runs.push_back(search::scoring::simulate(*strategy, recorded, options));
    }
    for (std::size_t b = 0; b < outcomes.size(); ++b)
      outcomes[b].push_back(search::scoring::log_slow_downs(recorded, runs, kBudgets[b]));
  }
  return outcomes;
}

double pooled_mean(const std::vector<std::vector<double>>& by_recording) {
  double sum = 0.0;
  for (const std::vector<double>& runs : by_recording) sum += search::scoring::mean_of(runs);
  return sum / static_cast<double>(by_recording.size());
}

// The p-value over all runs, paired by recording and seed.
std::string significance(const std::vector<std::vector<double>>& whole,
                         const std::vector<std::vector<double>>& reduced) {
  std::vector<double> differences;
  for (std::size_t r = 0; r < whole.size(); ++r) {
    for (std::size_t i = 0; i < whole[r].size(); ++i) differences.push_back(reduced[r][i] - whole[r][i]);
  }
  return fmt::format("{:.2g}", search::scoring::signed_rank_test(differences).p_value);
}

int measure(int argument_count, char** arguments) {
  namespace po = boost::program_options;
  po::options_description described;
  described.add_options()("help", "print this")(
      "recording", po::value<std::vector<std::string>>()->multitoken(), "recordings of any format")(
      "repeats", po::value<std::uint64_t>()->default_value(30), "runs of each variant on each recording")(
      "evaluations", po::value<std::uint64_t>()->default_value(200), "evaluations of each run");
  const auto given = parse_options("bench_search_parts", described, argument_count, arguments);
  if (!given) return 0;
  if (given->count("recording") == 0) {
    std::puts("no recordings given: skipped");
    return 0;
  }
  std::deque<model::Recording> read;  // A deque, so that their addresses stay valid.
  std::vector<search::scoring::RecordedSpace> recordings;
  for (const std::string& path : (*given)["recording"].as<std::vector<std::string>>())
    recordings.emplace_back(read.emplace_back(db::read_any_recording(path)));
  const auto repeats = (*given)["repeats"].as<std::uint64_t>();
  const auto evaluations = (*given)["evaluations"].as<std::uint64_t>();
  tuner::text_output::TextTable table({"variant", "@20", "p", "@50", "p", "@100", "p", "@200", "p"},
                                      {1, 2, 3, 4, 5, 6, 7, 8});
  Outcomes whole;
  for (const Variant& variant : variants()) {
    const Outcomes outcomes = run(variant.parts, recordings, repeats, evaluations);
    if (whole.empty()) whole = outcomes;
    std::vector<std::string> row = {variant.name};
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
      row.push_back(fmt::format("{:.4f}", std::exp(pooled_mean(outcomes[b]))));
      row.push_back(variant.name == "all parts" ? "" : significance(whole[b], outcomes[b]));
    }
    std::cerr << fmt::format("{}\n", fmt::join(row, "  "));
    table.add(row);
  }
  fmt::print(
      "Best found / recorded best, geometric mean of {} recordings, {} runs each; p: paired signed-rank test "
      "against all parts\n\n{}",
      recordings.size(), repeats, table.text());
  return 0;
}

}  // namespace

}  // namespace warptune::bench

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program("bench_search_parts", argument_count, arguments,
                                      warptune::bench::measure);
}
