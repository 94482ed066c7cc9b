// Measures the CPU time of strategies per evaluation, over 200 evaluations. The spaces have about 18 thousand
// and 117 thousand configurations, and the times are invented.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "base/clock.h"
#include "bench/program.h"
#include "bench/published_spaces.h"
#include "bench/spread.h"
#include "search/strategy.h"
#include "tuner/text_output/text_table.h"

namespace warptune::bench {

namespace {

constexpr std::size_t kEvaluations = 200;

double thread_cpu_us() { return std::chrono::duration<double, std::micro>(base::thread_cpu_time()).count(); }

// A time of some microseconds that grows with the distance of the values from two thirds of their lists. One
// configuration in nine fails.
search::Observation evaluate(const model::Space& space, const model::Configuration& configuration) {
  double distance = 0.0;
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const auto last = static_cast<double>(space.parameters()[p].values.size()) - 1.0;
    distance += last > 0.0 ? std::pow(configuration[p] / last - 0.67, 2) : 0.0;
    sum += configuration[p];
  }
  const bool fails = sum % 9 == 8;
  return {configuration, fails ? model::Status::kLaunchFailed : model::Status::kMeasured,
          1e4 * (1.0 + distance)};
}

// The CPU time per evaluation in us, over the whole search and over the last ten evaluations.
std::pair<double, double> search_once(std::string_view name, const model::Space& space, std::uint64_t seed) {
  search::StrategyOptions options;
  options.seed = seed;
  options.evaluations = kEvaluations;
  double total = 0.0;
  double last = 0.0;
  double start = thread_cpu_us();
  const auto strategy = search::make_strategy(name, space, options);
  total += thread_cpu_us() - start;
  for (std::size_t i = 0; i < kEvaluations; ++i) {
    start = thread_cpu_us();
    const std::vector<model::Configuration> asked = strategy->ask(1);
    double spent = thread_cpu_us() - start;
    const search::Observation observation = evaluate(space, asked.front());
    start = thread_cpu_us();
    strategy->tell(observation);
    spent += thread_cpu_us() - start;
    total += spent;
    if (i + 10 >= kEvaluations) last += spent;
  }
  return {total / kEvaluations, last / 10};
}

int measure(int argument_count, char** arguments) {
  namespace po = boost::program_options;
  po::options_description described;
  described.add_options()("help", "print this")("repeat", po::value<std::uint64_t>()->default_value(5),
                                                "searches of each strategy on each space");
  const auto given = parse_options("bench_strategy_cpu", described, argument_count, arguments);
  if (!given) return 0;
  for (const PublishedSpace& published : {spaces::dedispersion(), spaces::gemm()}) {
    const model::Space space(published.parameters, published.constraints);
    tuner::text_output::TextTable table({"strategy", "CPU us per evaluation", "the last 10"}, {1, 2});
    for (const search::StrategyInfo& strategy : search::strategy_table()) {
      std::vector<double> mean;
      std::vector<double> last;
      for (std::uint64_t seed = 1; seed <= (*given)["repeat"].as<std::uint64_t>(); ++seed) {
        const auto [all, end] = search_once(strategy.name, space, seed);
        mean.push_back(all);
        last.push_back(end);
      }
      table.add({std::string(strategy.name), spread_text(mean, 1), spread_text(last, 1)});
    }
    fmt::print("{} configurations\n{}\n", space.size(), table.text());
  }
  return 0;
}

}  // namespace

}  // namespace warptune::bench

int main(int argument_count, char** arguments) {
  return warptune::bench::run_program("bench_strategy_cpu", argument_count, arguments,
                                      warptune::bench::measure);
}
