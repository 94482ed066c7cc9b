// Measures how many configurations are evaluated per second (compiled, verified, timed, counted), and
// compares this with NVRTC alone and with the launches alone: bench/README.md. Needs a GPU.

#include <fmt/format.h>
#include <unistd.h>

#include <boost/program_options.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "bench/compile_rate.h"
#include "bench/gpu_instance.h"
#include "bench/program.h"
#include "bench/spread.h"
#include "model/own_metrics.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/process_evaluator.h"

namespace po = boost::program_options;
namespace fs = std::filesystem;
using namespace warptune;

namespace {

constexpr const char* kProgram = "bench_evaluation_rate";

using Clock = std::chrono::steady_clock;
using Configurations = std::vector<model::NamedValues>;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Evaluated {
  double seconds = 0.0;  ///< From the first candidate to the last counter, after two warm-up candidates.
  std::vector<model::Measurement> measurements;
  std::size_t counted = 0;
};

// The first evaluation also measures the roofs and opens the first profiler session, which a session needs
// only once. When the second evaluation ends, the GPU worker has finished both.
void warm_up(tuner::workers::ProcessEvaluator& evaluator, const Configurations& configurations) {
  constexpr std::uint64_t kFirstId = 1ULL << 40;
  for (std::uint64_t i = 0; i < 2; ++i) {
    evaluator.submit({kFirstId + i, configurations.at(i)});
    while (evaluator.pending() > 0) evaluator.wait(std::chrono::milliseconds(100));
  }
}

// Evaluates all configurations, at most `max_pending` at a time (0: as many as the evaluator accepts).
Evaluated evaluate(const kernel_templates::KernelInstance& instance, const Configurations& configurations,
                   const tuner::workers::ProcessEvaluatorOptions& options, std::size_t max_pending) {
  tuner::workers::ProcessEvaluator evaluator(instance, options);
  warm_up(evaluator, configurations);
  Evaluated result;
  double best_ns = 0.0;
  std::size_t next = 0;
  const Clock::time_point start = Clock::now();
  while (next < configurations.size() || evaluator.pending() > 0) {
    std::size_t room = evaluator.wanted();
    if (max_pending > 0) room = max_pending - std::min(max_pending, evaluator.pending());
    for (; room > 0 && next < configurations.size(); --room, ++next)
      evaluator.submit({next, configurations[next]});
    for (tuner::evaluation::EvaluationEvent& event : evaluator.wait(std::chrono::milliseconds(100))) {
      if (std::holds_alternative<tuner::evaluation::CounterEvent>(event)) ++result.counted;
      auto* measured = std::get_if<tuner::evaluation::MeasurementEvent>(&event);
      if (measured == nullptr) continue;
      const model::Measurement& row = measured->measurement;
      if (row.status == model::Status::kMeasured && (best_ns == 0.0 || row.time->median_ns < best_ns)) {
        best_ns = row.time->median_ns;
        evaluator.set_incumbent(best_ns);
      }
      result.measurements.push_back(std::move(measured->measurement));
    }
  }
  result.counted += evaluator.close_counters().size();
  result.seconds = seconds_since(start);
  return result;
}

// The GPU time of the launches that were made, and the GPU time of 32 samples of each configuration.
struct LaunchTime {
  double launched_s = 0.0;
  double with_32_samples_s = 0.0;
  std::size_t launches = 0;
  double worker_s = 0.0;  ///< The wall time of the GPU worker for these configurations.
};

LaunchTime launch_time(const std::vector<model::Measurement>& measurements) {
  LaunchTime total;
  for (const model::Measurement& row : measurements) {
    total.worker_s += row.measure_ms * 1e-3;
    const auto first = row.counters.find(warptune::model::own_metric::kFirstLaunchNs);
    if (first == row.counters.end() || !row.time) continue;
    total.launched_s += first->second * 1e-9;
    ++total.launches;
    total.with_32_samples_s += 32.0 * row.time->median_ns * 1e-9;
    // A configuration that was dropped after its first launch has this launch as its only sample.
    const bool only_first = row.samples_ns.size() == 1 && row.samples_ns.front() == first->second;
    if (only_first) continue;
    for (const double sample : row.samples_ns) total.launched_s += sample * 1e-9;
    total.launches += row.samples_ns.size();
  }
  return total;
}

// The rows of the result. A name begins with a number, by which the rows are sorted. It is not printed.
struct Table {
  void add(const std::string& name, double value) { rows[name].push_back(value); }
  std::map<std::string, std::vector<double>> rows;
};

po::options_description options_description() {
  po::options_description options("Options");
  auto add = options.add_options();
  add("help", "show this");
  add("kernel", po::value<std::string>()->default_value("sgemm"), "name or path");
  add("count", po::value<std::size_t>()->default_value(500), "configurations, drawn uniformly");
  add("seed", po::value<std::uint64_t>()->default_value(1), "seed of the draw");
  add("jobs", po::value<std::size_t>()->default_value(tuner::workers::compiling::default_compile_workers()),
      "compile processes");
  add("repeat", po::value<int>()->default_value(5), "repetitions of the measurements");
  add("gpus", po::value<std::vector<std::size_t>>()->multitoken(),
      "measure only the rate on each of these numbers of GPUs, from a warm cache");
  add("size", po::value<std::vector<std::string>>()->multitoken()->default_value({}, ""), "NAME=INTEGER ...");
  add("uncounted", po::bool_switch(), "with --gpus: do not measure hardware counters");
  add("serial", po::value<std::size_t>()->default_value(60),
      "configurations of the run that evaluates one after another, at least 2");
  return options;
}

// Measures the rate on several GPUs of one model, from a warm compile cache, so that compiling is not the
// limit.
void measure_scaling(const kernel_templates::KernelInstance& instance, const Configurations& configurations,
                     const std::vector<std::size_t>& gpus, tuner::workers::ProcessEvaluatorOptions options,
                     int repeat) {
  const fs::path cache = fs::temp_directory_path() / fmt::format("warptune_scaling_{}", ::getpid());
  options.measuring.compile_cache = cache;
  const auto n = static_cast<double>(configurations.size());
  std::map<std::size_t, std::vector<double>> rates;
  const auto on = [&](std::size_t count) {
    options.ordinals.clear();
    for (std::size_t i = 0; i < count; ++i) options.ordinals.push_back(static_cast<int>(i));
    return n / evaluate(instance, configurations, options, 0).seconds;
  };
  fmt::print("cold, on {} GPUs: {:.1f} configurations/s\n", gpus.back(), on(gpus.back()));
  for (int run = 0; run < repeat; ++run) {
    for (const std::size_t count : gpus) rates[count].push_back(on(count));
  }
  fs::remove_all(cache);
  for (const std::size_t count : gpus) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < rates[count].size(); ++i)
      ratios.push_back(rates[count][i] / rates[gpus.front()][i]);
    fmt::print("  {} GPUs: {} configurations/s, {} times {} GPU\n", count,
               bench::spread_text(rates[count], 1), bench::spread_text(ratios, 2), gpus.front());
  }
}

int measure(int argument_count, char** arguments) {
  const po::options_description options = options_description();
  const auto parsed = bench::parse_options(kProgram, options, argument_count, arguments);
  if (!parsed) return 0;
  const po::variables_map& given = *parsed;
  const kernel_templates::KernelInstance instance =
      bench::instance_on_gpu(given["kernel"].as<std::string>(), given["size"].as<std::vector<std::string>>());
  const auto count = given["count"].as<std::size_t>();
  const auto jobs = given["jobs"].as<std::size_t>();
  const auto seed = given["seed"].as<std::uint64_t>();
  const Configurations configurations = bench::sampled_configurations(instance.space(), count, seed);
  const Configurations few(configurations.begin(),
                           configurations.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(
                                                        given["serial"].as<std::size_t>(), 2, count)));
  const auto n = static_cast<double>(count);

  if (given.count("gpus") != 0) {
    tuner::workers::ProcessEvaluatorOptions evaluator;
    evaluator.compile_workers = jobs;
    evaluator.measuring.count = !given["uncounted"].as<bool>();
    evaluator.measuring.search_first_s = 0.0;  // The first profiler session opens before the time is taken.
    measure_scaling(instance, configurations, given["gpus"].as<std::vector<std::size_t>>(), evaluator,
                    given["repeat"].as<int>());
    return 0;
  }
  Table table;
  for (int run = 0; run < given["repeat"].as<int>(); ++run) {
    const fs::path cache = fs::temp_directory_path() / fmt::format("warptune_rate_{}_{}", ::getpid(), run);
    tuner::workers::ProcessEvaluatorOptions evaluator;
    evaluator.compile_workers = jobs;
    evaluator.measuring.seed = seed;
    evaluator.measuring.search_first_s = 0.0;  // The first profiler session opens before the time is taken.

    const bench::CompileRate alone =
        bench::compile_rate(bench::sampled_requests(instance, count, seed), jobs);
    evaluator.measuring.compile_cache = cache;
    const Evaluated cold = evaluate(instance, configurations, evaluator, 0);
    const Evaluated warm = evaluate(instance, configurations, evaluator, 0);
    evaluator.measuring.count_all = true;
    const Evaluated all_counted = evaluate(instance, configurations, evaluator, 0);
    evaluator.measuring.count_all = false;
    evaluator.measuring.count = false;
    const Evaluated uncounted = evaluate(instance, configurations, evaluator, 0);
    evaluator.measuring.count = true;
    evaluator.measuring.compile_cache.clear();
    evaluator.compile_workers = 1;
    const Evaluated serial = evaluate(instance, few, evaluator, 1);
    fs::remove_all(cache);

    const LaunchTime cold_launches = launch_time(cold.measurements);
    const LaunchTime launches = launch_time(warm.measurements);
    const double compile_limit = n / alone.seconds;
    const double gpu_limit = n / launches.launched_s;
    const double cold_rate = n / cold.seconds;
    const double warm_rate = n / warm.seconds;
    const double serial_rate = static_cast<double>(few.size()) / serial.seconds;
    table.add("01 NVRTC alone, configurations/s", compile_limit);
    table.add("02 launches alone, configurations/s", gpu_limit);
    table.add("03 cold cache, configurations/s", cold_rate);
    table.add("04   share of the lower of the two limits, %",
              100.0 * cold_rate / std::min(compile_limit, n / cold_launches.launched_s));
    table.add("05   speed-up over one after another", cold_rate / serial_rate);
    table.add("06 warm cache, configurations/s", warm_rate);
    table.add("07   share of the launches alone, %", 100.0 * warm_rate / gpu_limit);
    table.add("08   GPU worker busy, % of the time", 100.0 * launches.worker_s / warm.seconds);
    table.add("09   with every configuration counted", n / all_counted.seconds);
    table.add("10   with none counted", n / uncounted.seconds);
    table.add("11 one after another, configurations/s", serial_rate);
    table.add("12 counters, ms per configuration", 1e3 * (warm.seconds - uncounted.seconds) / n);
    table.add("13   with every configuration counted", 1e3 * (all_counted.seconds - uncounted.seconds) / n);
    table.add("14 launches per configuration", static_cast<double>(launches.launches) / n);
    table.add("15 GPU time, % of that of 32 samples each",
              100.0 * launches.launched_s / launches.with_32_samples_s);
    table.add("16 counted, %", 100.0 * static_cast<double>(cold.counted) / n);
    fmt::print(
        "run {}: cold {:.1f}/s, warm {:.1f}/s ({:.1f}/s if all are counted), NVRTC {:.1f}/s, launches "
        "{:.1f}/s\n",
        run + 1, cold_rate, warm_rate, n / all_counted.seconds, compile_limit, gpu_limit);
    std::fflush(stdout);
  }
  fmt::print("\n{} {}, {} configurations, seed {}, {} compile workers, {}\n", instance.definition().name,
             model::to_text(instance.problem()), count, seed, jobs, instance.gpu().name);
  for (const auto& [name, values] : table.rows)
    fmt::print("  {:<42} {}\n", name.substr(3), bench::spread_text(values, 2));
  return 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  return bench::run_program(kProgram, argument_count, arguments, measure);
}
