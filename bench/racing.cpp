// Replays recorded sample series (bench_sample_series) through the racing protocol: what it costs of the GPU
// against a fixed number of samples, and what it loses of the best. Needs no GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "base/random.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "profiling/racing.h"
#include "tuner/cli/options.h"

namespace warptune {
namespace {

using search::Measurement;

struct Series {
  double first_ns = 0.0;
  std::vector<double> samples_ns;
  double median_ns = 0.0;  ///< Of all samples: the truth.
};

std::vector<Series> series_of(const search::Recording& recording) {
  std::vector<Series> all;
  for (const Measurement& row : recording.measurements) {
    if (row.status != search::Status::kMeasured) continue;
    Series series;
    series.first_ns = row.counters.at("first_launch_ns");
    series.samples_ns = row.samples_ns;
    series.median_ns = row.time.median_ns;
    all.push_back(std::move(series));
  }
  return all;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// How far the least of the first `count` samples (0: the first launch) lies above a series' median, in its
// worst cases.
std::string excess_row(const std::vector<Series>& all, std::size_t count) {
  std::vector<double> shares;
  std::vector<double> margins_us;
  for (const Series& series : all) {
    const double least =
        count == 0 ? series.first_ns
                   : *std::min_element(series.samples_ns.begin(),
                                       series.samples_ns.begin() + static_cast<std::ptrdiff_t>(count));
    shares.push_back(100.0 * (least / series.median_ns - 1.0));
    margins_us.push_back((least - series.median_ns) * 1e-3);
  }
  return fmt::format("{:>8}  {:>8.2f} {:>8.2f} {:>8.2f}   {:>8.2f} {:>8.2f} {:>8.2f}\n",
                     count == 0 ? "first" : fmt::format("{}", count), quantile(shares, 0.5),
                     quantile(shares, 0.99), quantile(shares, 1.0), quantile(margins_us, 0.5),
                     quantile(margins_us, 0.99), quantile(margins_us, 1.0));
}

struct Outcome {
  double gpu_share = 0.0;  ///< GPU time of all launches over that of `fixed` samples of each.
  double launches = 0.0;   ///< A configuration, the first included.
  double regret = 0.0;     ///< True median of the session's best over that of the best, less 1.
  bool kept_best = false;  ///< The truly best was measured, not dropped.
};

Outcome race_through(const std::vector<Series>& all, std::vector<std::size_t> order, std::size_t fixed) {
  const profiling::RacingProtocol protocol;
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
    profiling::Race race(protocol, incumbent_ns);
    race.add_first(series.first_ns);
    spent += series.first_ns;
    ++launches;
    for (std::size_t k = 0; k < series.samples_ns.size() && race.verdict() == profiling::RaceVerdict::kMore;
         ++k) {
      race.add(series.samples_ns[k]);
      spent += series.samples_ns[k];
      ++launches;
    }
    for (std::size_t k = 0; k < fixed && k < series.samples_ns.size(); ++k) fixed_ns += series.samples_ns[k];
    if (race.verdict() == profiling::RaceVerdict::kDropped) continue;
    if (&series == best) outcome.kept_best = true;
    const double median_ns = search::summarise(race.samples_ns()).median_ns;
    if (incumbent_ns > 0.0 && median_ns >= incumbent_ns) continue;
    incumbent_ns = median_ns;
    chosen = &series;
  }
  outcome.gpu_share = spent / fixed_ns;
  outcome.launches = static_cast<double>(launches) / static_cast<double>(all.size());
  outcome.regret = chosen == nullptr ? 1.0 : chosen->median_ns / best->median_ns - 1.0;
  return outcome;
}

int run(const std::vector<std::string>& arguments) {
  tuner::cli::Options options("racing RECORDING...", "Replays sample series through the racing protocol.");
  options.positional("RECORDING", 1, 100)
      .value("orders", "N", "random orders of the configurations", "200")
      .value("fixed", "N", "samples of the protocol compared with", "32")
      .flag("excess", "show how far few samples lie above a series' median");
  if (!options.parse(arguments)) return 0;
  fmt::print("{:<44} {:>6} {:>9} {:>9} {:>9} {:>10} {:>10} {:>9}\n", "series", "rows", "best us", "launches",
             "GPU time", "regret p90", "regret max", "best kept");
  std::string excess;
  for (const std::string& file : options.texts("RECORDING")) {
    const search::Recording recording = db::read_recording(file);
    const std::vector<Series> all = series_of(recording);
    if (all.empty()) continue;
    const std::string name = recording.subject.kernel + " " + search::to_text(recording.subject.problem);
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
      const Outcome outcome = race_through(all, order, *options.number("fixed"));
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
    excess += fmt::format("\n{}\n{:>8}  {:>8} {:>8} {:>8}   {:>8} {:>8} {:>8}\n", name, "least of", "50 %",
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
