// Measures how often a search that ends by `--until 2%` ends further from the recorded best than 2 %, and
// after how many evaluations. It runs the surrogate over recordings and applies the rule of a session to each
// run.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "bench/program.h"
#include "db/recording_file.h"
#include "search/scoring/recorded_space.h"
#include "search/strategy.h"
#include "tuner/replay/strategy_replay.h"
#include "tuner/session/search_goal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::bench {

namespace {

constexpr double kGoals[] = {0.003, 0.005, 0.01, 0.02, 0.05};
constexpr std::size_t kStarts = 6;  // A session has as many pending before its first result.

// The runs of one goal.
struct Ends {
  std::uint64_t runs = 0;
  std::uint64_t ended = 0;  // By the goal.
  std::uint64_t further = 0;
  std::uint64_t evaluations = 0;                    // The sum over all runs.
  std::map<std::string, std::uint64_t> further_in;  // By recording.

  void add(const std::string& recording, std::uint64_t count, bool by_goal, bool is_further) {
    ++runs;
    evaluations += count;
    if (by_goal) ++ended;
    if (!by_goal || !is_further) return;
    ++further;
    ++further_in[recording];
  }
};

struct RunOptions {
  std::uint64_t seed = 1;
  std::uint64_t maximum = 300;
  std::size_t pending = 1;
};

void run(const std::string& name, const search::scoring::RecordedSpace& recorded, const RunOptions& options,
         std::vector<Ends>& ends) {
  search::StrategyOptions given;
  given.seed = options.seed;
  const auto strategy = search::make_strategy("surrogate", recorded.space(), given);
  const auto expected_gain = [&](std::uint64_t evaluations) { return strategy->expected_gain(evaluations); };
  std::deque<model::Configuration> open;
  std::vector<bool> is_open(std::size(kGoals), true);
  double best_ns = std::numeric_limits<double>::infinity();
  tuner::session::SearchState state;
  const std::uint64_t last = std::min<std::uint64_t>(options.maximum, recorded.rows().size());
  for (std::uint64_t done = 1; done <= last; ++done) {
    const std::size_t wanted = done <= kStarts ? std::min(kStarts, options.pending) : options.pending;
    if (open.size() < wanted) {
      for (model::Configuration& next : strategy->ask(wanted - open.size())) open.push_back(std::move(next));
    }
    const model::Configuration configuration = open.front();
    open.pop_front();
    const search::scoring::ReplayRow& row = recorded.row(configuration);
    const search::Observation observation{configuration, row.status, row.objective_ns};
    strategy->tell(observation);
    ++state.since_best;
    if (observation.is_rated()) ++state.rated;
    if (row.status == model::Status::kMeasured && row.objective_ns < best_ns) {
      best_ns = row.objective_ns;
      state.since_best = 0;
    }
    for (std::size_t g = 0; g < std::size(kGoals); ++g) {
      const bool reached = is_open[g] && tuner::session::is_probably_within(kGoals[g], state, expected_gain);
      if (!is_open[g] || (!reached && done < last)) continue;
      is_open[g] = false;
      ends[g].add(name, done, reached, best_ns > (1.0 + kGoals[g]) * recorded.best_ns());
    }
  }
}

int measure(int argument_count, char** arguments) {
  namespace po = boost::program_options;
  po::options_description described;
  described.add_options()("help", "print this")(
      "recording", po::value<std::vector<std::string>>()->multitoken(), "recordings of any format")(
      "repeats", po::value<std::uint64_t>()->default_value(6), "runs on each recording")(
      "evaluations", po::value<std::uint64_t>()->default_value(300), "the most evaluations of a run")(
      "pending", po::value<std::size_t>()->default_value(1), "evaluations that are pending at a time");
  const auto given = parse_options("bench_until", described, argument_count, arguments);
  if (!given) return 0;
  if (given->count("recording") == 0) {
    std::puts("no recordings given: skipped");
    return 0;
  }
  std::vector<Ends> ends(std::size(kGoals));
  for (const std::string& path : (*given)["recording"].as<std::vector<std::string>>()) {
    const tuner::replay::ReplayWorkload workload{std::filesystem::path(path)};
    RunOptions options{1, (*given)["evaluations"].as<std::uint64_t>(), (*given)["pending"].as<std::size_t>()};
    for (; options.seed <= (*given)["repeats"].as<std::uint64_t>(); ++options.seed)
      run(workload.name(), workload.space(), options, ends);
  }
  tuner::text_output::TextTable table(
      {"--until", "ended by it", "ended further off", "share", "evaluations", "further off, by recording"},
      {1, 2, 3, 4});
  for (std::size_t g = 0; g < std::size(kGoals); ++g) {
    const Ends& end = ends[g];
    std::vector<std::string> where;
    for (const auto& [recording, count] : end.further_in)
      where.push_back(fmt::format("{} {}", recording, count));
    const double share =
        static_cast<double>(end.further) / static_cast<double>(std::max<std::uint64_t>(end.ended, 1));
    table.add({fmt::format("{}%", 100.0 * kGoals[g]), fmt::format("{} of {}", end.ended, end.runs),
               std::to_string(end.further), fmt::format("{:.1f} %", 100.0 * share),
               std::to_string(end.evaluations / std::max<std::uint64_t>(end.runs, 1)),
               fmt::format("{}", fmt::join(where, ", "))});
  }
  fmt::print("{}", table.text());
  return 0;
}

}  // namespace

}  // namespace warptune::bench

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program("bench_until", argument_count, arguments, warptune::bench::measure);
}
