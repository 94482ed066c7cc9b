#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/objective.h"
#include "tuner/benching/bench_session.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/surveys/bench_json.h"
#include "tuner/session/counter_choice.h"
#include "tuner/surveying/usual_names.h"
#include "tuner/text_output/surveys/bench_report.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::programs {

namespace {

struct BenchOptions {
  benching::BenchRequest request;
  bool json = false;
};

Options declare_bench() {
  Options options(
      "bench CAPTURE",
      "Repeats a launch that 'survey --capture' stored, alone and without a definition. It times the launch, "
      "compares its outputs with those in the application, reads its hardware counters, and says what is "
      "wrong with it.");
  options.positional("CAPTURE", 1, 1)
      .flag("describe", "only say what the capture has; no GPU is needed")
      .value("metrics", "core|full|none|NAME,...", "hardware counters to read", "core")
      .known_words(metric_words)
      .value("device", "N", "the number of the GPU", "0");
  declare_compile_cache(options).common();
  options.example("bench scale.wtcapture.zst", "Times the captured launch, counts it and diagnoses it.")
      .example("bench scale.wtcapture.zst --describe", "Shows its geometry, parameters and buffers.")
      .related({"survey", "profile", "new"});
  return options;
}

std::optional<BenchOptions> parse_bench(const std::vector<std::string>& arguments) {
  Options options = declare_bench();
  if (!options.parse(arguments)) return std::nullopt;
  BenchOptions read;
  read.request.capture = options.required("CAPTURE");
  read.request.describe = options.is_set("describe");
  profiling::captures::ReplayOptions& replay = read.request.replay;
  constexpr std::uint64_t kMaxGpus = 1024;
  const std::uint64_t device = *options.number("device");
  if (device >= kMaxGpus)
    throw base::InputError("--device: expected the number of a GPU, as devices lists it");
  replay.ordinal = static_cast<int>(device);
  const session::CounterChoice choice = session::CounterChoice::parse(*options.text("metrics"));
  choice.apply(model::Objective(), replay.measuring);
  if (replay.measuring.measure_energy) throw base::InputError("--metrics: bench does not measure energy");
  replay.measuring.compile_cache = read_compile_cache(options);
  read.json = options.json();
  return read;
}

benching::Bench bench_of(const benching::BenchRequest& request) {
  try {
    return benching::bench(request);
  } catch (const base::InputError& error) {
    const std::string hint = surveying::command_by_name(request.capture, "bench");
    if (hint.empty()) throw;
    throw base::InputError(error.what() + hint);
  }
}

int run_bench(const std::vector<std::string>& arguments) {
  const std::optional<BenchOptions> asked = parse_bench(arguments);
  if (!asked) return 0;
  const benching::Bench repeated = bench_of(asked->request);
  if (asked->json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::surveys::bench_json(repeated)));
  } else {
    text_output::print_fitted(text_output::surveys::bench_report(repeated));
  }
  return 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::programs

warptune::tuner::commands::Command warptune::tuner::commands::bench_command() {
  return {"bench", "repeat a captured launch, time it, read counters and diagnose it", programs::run_bench,
          [] { return programs::declare_bench().description(); }};
}
