// Records the sample series from which the thresholds of the racing protocol were chosen. Random
// configurations are launched a fixed number of times, and none is dropped. The result is a recording that
// bench_racing replays. Needs a GPU.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>

#include "base/error.h"
#include "base/random.h"
#include "db/recording_file.h"
#include "kernel_templates/library.h"
#include "profiling/gpu.h"
#include "profiling/kernel_runner.h"
#include "tuner/commands/options.h"
#include "tuner/workers/compiling/compile_pool.h"
#include "tuner/workers/workers.h"

namespace warptune {
namespace {

using model::NamedValues;

std::vector<NamedValues> draw(const model::Space& space, std::uint64_t count, std::uint64_t seed) {
  base::Random random(seed);
  std::set<std::uint64_t> drawn;
  while (drawn.size() < std::min(count, space.size())) drawn.insert(random.below(space.size()));
  std::vector<std::uint64_t> order(drawn.begin(), drawn.end());
  random.shuffle(order);
  std::vector<NamedValues> configurations;
  configurations.reserve(order.size());
  for (const std::uint64_t index : order) configurations.push_back(space.values_of(space.at(index)));
  return configurations;
}

int run(const std::vector<std::string>& arguments) {
  tuner::commands::Options options("sample_series KERNEL", "Records sample series of random configurations.");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("count", "N", "configurations", "100")
      .value("samples", "N", "launches of a configuration after the first", "32")
      .value("jobs", "N", "compile workers", "16")
      .value("seed", "N", "seed of the draw and the data", "1")
      .value("output", "FILE", "the recording to write");
  if (!options.parse(arguments)) return 0;
  if (!options.text("output")) throw base::InputError("--output is missing: expected a file");
  const profiling::GpuList list = profiling::enumerate_gpus();
  if (list.gpus.empty())
    throw base::MachineError("no GPU: " + list.reason, "run this on a machine with a GPU");
  const std::uint64_t seed = *options.number("seed");
  const kernel_templates::KernelInstance instance(kernel_templates::load_kernel(options.required("KERNEL")),
                                                  options.assignments("size"), list.gpus.front());
  profiling::RunnerOptions runner_options;
  runner_options.seed = seed;
  runner_options.counter_batch = 64;
  runner_options.racing.drop = false;
  runner_options.racing.min_samples = runner_options.racing.min_samples_of_long =
      runner_options.racing.max_samples = *options.number("samples");
  profiling::KernelRunner runner(instance, runner_options);
  tuner::workers::compiling::CompilePool pool(*options.number("jobs"), std::chrono::seconds(60));
  if (instance.has_reference()) {
    const auto reference = pool.compile_all({instance.reference_request().value()});
    runner.prepare_reference(reference.front().value());
  }
  const std::vector<NamedValues> configurations = draw(instance.space(), *options.number("count"), seed);
  std::vector<kernel_templates::CompileRequest> requests;
  requests.reserve(configurations.size());
  for (const NamedValues& configuration : configurations)
    requests.push_back(instance.compile_request(configuration).value());
  const auto compiled = pool.compile_all(std::move(requests));

  model::Recording recording;
  recording.workload = {instance.definition().name, instance.definition().hash, instance.problem(),
                        instance.gpu()};
  recording.parameters = instance.space().parameters();
  recording.constraints = instance.space().constraints();
  recording.constants = instance.constants();
  recording.default_configuration = instance.default_configuration();
  recording.work = instance.work();
  recording.roofs = runner.roofs();
  recording.environment = profiling::read_environment(runner_options.ordinal);
  for (std::size_t i = 0; i < configurations.size(); ++i) {
    if (!compiled[i]) continue;
    recording.measurements.push_back(runner.evaluate(i, configurations[i], *compiled[i], 0.0));
  }
  for (profiling::CounterReading& reading : runner.take_counters(true)) {
    for (model::Measurement& measurement : recording.measurements) {
      if (measurement.configuration == configurations[reading.id])
        measurement.counters.merge(reading.counters);
    }
  }
  db::write_recording(*options.text("output"), recording);
  fmt::print("{} {}: {} series\n", recording.workload.kernel, model::to_text(recording.workload.problem),
             recording.measurements.size());
  return 0;
}

}  // namespace
}  // namespace warptune

int main(int argc, char** argv) {
  try {
    if (argc > 2 && std::string(argv[1]) == "worker")
      return warptune::tuner::workers::run_worker({argv + 2, argv + argc});
    return warptune::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
