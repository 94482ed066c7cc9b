// Replays recorded sample series (bench_sample_series) through the racing protocol. Compares its GPU time
// with that of a fixed number of samples, and measures the loss compared with the best. Needs no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/random.h"
#include "bench/race_replay.h"
#include "db/recording_file.h"
#include "tuner/commands/options.h"

namespace warptune {
namespace {

using bench::Outcome;
using bench::race_through;
using bench::Series;
using bench::series_of;

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// How far the minimum of the first `count` samples (0: the first launch) is above the median of its series.
std::string excess_row(const std::vector<Series>& all, std::size_t count) {
  std::vector<double> shares;
  std::vector<double> margins_us;
  for (const Series& series : all) {
    const double minimum =
        count == 0 ? series.first_ns
                   : *std::min_element(series.samples_ns.begin(),
                                       series.samples_ns.begin() + static_cast<std::ptrdiff_t>(count));
    shares.push_back(100.0 * (minimum / series.median_ns - 1.0));
    margins_us.push_back((minimum - series.median_ns) * 1e-3);
  }
  return fmt::format("{:>8}  {:>8.2f} {:>8.2f} {:>8.2f}   {:>8.2f} {:>8.2f} {:>8.2f}\n",
                     count == 0 ? "first" : fmt::format("{}", count), quantile(shares, 0.5),
                     quantile(shares, 0.99), quantile(shares, 1.0), quantile(margins_us, 0.5),
                     quantile(margins_us, 0.99), quantile(margins_us, 1.0));
}

int run(const std::vector<std::string>& arguments) {
  tuner::commands::Options options("racing RECORDING...",
                                   "Replays sample series through the racing protocol.");
  options.positional("RECORDING", 1, -1)
      .value("orders", "N", "random orders of the configurations", "200")
      .value("fixed", "N", "samples of the fixed protocol for comparison", "32")
      .flag("excess", "show how far the minimum of few samples is above a series' median");
  if (!options.parse(arguments)) return 0;
  fmt::print("{:<44} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9}\n", "series", "rows", "best us", "launches",
             "GPU time", "regret p90", "regret max", "best kept");
  std::string excess;
  for (const std::string& file : options.texts("RECORDING")) {
    const model::Recording recording = db::read_recording(file);
    const std::vector<Series> all = bench::series_of(recording);
    if (all.empty()) continue;
    const std::string name = recording.workload.kernel + " " + model::to_text(recording.workload.problem);
    base::Random random(1);
    std::vector<std::size_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<double> shares;
    std::vector<double> launches;
    std::vector<double> regrets;
    double kept = 0.0;
    const std::uint64_t orders = *options.number("orders");
    for (std::uint64_t i = 0; i < orders; ++i) {
      random.shuffle(order);
      const Outcome outcome = bench::race_through(all, order, *options.number("fixed"));
      shares.push_back(outcome.gpu_share);
      launches.push_back(outcome.launches);
      regrets.push_back(outcome.regret);
      if (outcome.kept_best) kept += 1.0;
    }
    double best_ns = all.front().median_ns;
    for (const Series& series : all) best_ns = std::min(best_ns, series.median_ns);
    fmt::print("{:<44} {:>6} {:>9.1f} {:>9.2f} {:>8.1f}% {:>9.2f}% {:>9.2f}% {:>8.1f}%\n", name.substr(0, 44),
               all.size(), best_ns * 1e-3, quantile(launches, 0.5), 100.0 * quantile(shares, 0.5),
               100.0 * quantile(regrets, 0.9), 100.0 * quantile(regrets, 1.0),
               100.0 * kept / static_cast<double>(orders));
    excess += fmt::format("\n{}\n{:>8}  {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}\n", name, "minimum", "50 %",
                          "99 %", "worst %", "50 us", "99 us", "worst us");
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{5}})
      excess += excess_row(all, count);
  }
  if (options.is_set("excess")) fmt::print("{}", excess);
  return 0;
}

}  // namespace
}  // namespace warptune

int main(int argc, char** argv) {
  try {
    return warptune::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
