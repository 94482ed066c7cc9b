#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/text.h"
#include "kernel_templates/argument_data.h"
#include "kernel_templates/given_contents.h"
#include "model/median.h"
#include "model/own_metrics.h"
#include "profiling/runner_state.h"

// Verifies launches beyond the first one of a configuration (docs/measuring.md, "What is verified").
//
// A race verifies one of its first launches, which is chosen at random. After it, each launch is verified
// with a probability of 1 / kVerificationInterval. The choice is unpredictable, so a kernel cannot compute
// only in launches that are verified. The first verified launch runs on the other set of inputs, each later
// one with a probability of 1/2. There a kernel that returns remembered results is wrong.
//
// A kernel may also notice that its inputs changed, and compute only then. It is right, but its time on known
// inputs is not the time of its work. So the time of the first launch on new inputs is compared with the
// times of the following launches on the same inputs (profiling/verification/new_input_times.h). If the first
// takes much longer, the code is loaded again, and launches that are prepared in the same way are compared.
namespace warptune::profiling {

using timing::Sample;
using verification::MemoryOfResults;
using verification::NewInputTimes;
using verification::VerifiedSample;

namespace {

// After the first verified sample of a race, one in this many is verified.
constexpr std::uint64_t kVerificationInterval = 8;
// Longer than the time slices of processes that share a GPU, which are about 2 ms.
constexpr std::chrono::milliseconds kSettlingTime{5};

}  // namespace

void KernelRunner::State::run_reference() {
  check.forget_reference();
  fit(*reference);
  check.prepare();
  launch(*reference);
  synchronise();
  if (const auto fault = check.verify())
    throw base::InputError("the reference fails: " + *fault, {instance.definition().path.string(), 0, 0});
}

void KernelRunner::State::upload_expected() {
  for (const auto& [output, file] : kernel_templates::expected_files(instance.definition())) {
    for (driver::DeviceArgument& argument : arguments.all()) {
      if (argument.argument.name != output) continue;
      kernel_templates::ResolvedArgument expected = argument.argument;
      expected.init = {};
      expected.init.kind = kernel_templates::InitialiserKind::kFile;
      expected.init.path = file;
      const std::vector<std::byte> contents = kernel_templates::generate_argument(expected, 0, 0);
      driver::upload(argument.buffer.data(), contents.data(), contents.size());
    }
  }
}

// With this flush, no data waits in the L2 to be written back during the launch.
void KernelRunner::State::flush_once() {
  if (!timer.flushes_each()) timer.flush();
}

void KernelRunner::State::settle() {
  synchronise();
  std::this_thread::sleep_for(kSettlingTime);
  flush_once();
}

// Times a launch and verifies it. After an exchange of inputs, the outputs still hold the right results for
// the previous set, so a kernel that skips work because it finds results is wrong. Without an exchange, and
// when a launch is repeated because of its clock, the outputs are poisoned.
VerifiedSample KernelRunner::State::time_verified(Loaded& loaded, bool on_other_inputs,
                                                  std::uint64_t hold_cycles) {
  bool stale = on_other_inputs && inputs.has_two();
  if (stale) inputs.exchange();
  const auto prepare = [&] {
    fit(loaded);
    check.prepare(!std::exchange(stale, false));
    flush_once();
  };
  return verification::take_verified(
      [&] { return time(loaded, prepare, hold_cycles, timing::Repeat::kNever); },
      [&] { return check.verify(); });
}

std::optional<std::string> KernelRunner::State::race(timing::Race& race, Loaded& loaded,
                                                     model::Measurement& measurement) {
  const std::size_t first_verified =
      unforeseen.below(std::min(options.racing.min_samples, options.racing.min_samples_of_long));
  new_inputs = {};
  std::vector<double> clocks_mhz;
  int off_clock = 0;
  for (std::size_t i = 0; race.verdict() == timing::RaceVerdict::kMore; ++i) {
    const bool is_first = i == first_verified;
    VerifiedSample taken;
    if (is_first || (i > first_verified && unforeseen.below(kVerificationInterval) == 0)) {
      taken = time_verified(loaded, is_first || unforeseen.below(2) == 0);
      if (taken.fault) {
        return fmt::format("right in its first launch, wrong when repeated{}: {}",
                           inputs.has_two() ? " or on other inputs" : "", *taken.fault);
      }
    } else {
      taken.sample = time(loaded);
    }
    const Sample& sample = taken.sample;
    if (is_first) {
      new_inputs.first_ns = taken.first_ns;
    } else if (i > first_verified) {
      new_inputs.later_ns.push_back(sample.ns);
    }
    race.add(sample.ns);
    if (sample.sm_clock_mhz > 0.0) clocks_mhz.push_back(sample.sm_clock_mhz);
    if (sample.off_clock) ++off_clock;
  }
  if (race.verdict() == timing::RaceVerdict::kMeasured) {
    while (new_inputs.later_ns.size() < MemoryOfResults::kMinLaterTimes)
      new_inputs.later_ns.push_back(time(loaded).ns);
  }
  if (const auto clock_mhz = model::median_of(clocks_mhz))
    measurement.counters[model::own_metric::kSmClockMhz] = *clock_mhz;
  if (off_clock > 0) measurement.counters[model::own_metric::kOffClockSamples] = off_clock;
  return std::nullopt;
}

// The steps of an observation. In a confirmation, a launch together with its preparation must end within the
// time limit of a launch, so the caller is told about each step.
class KernelRunner::State::CodeOnGpu : public verification::ObservedCode {
 public:
  CodeOnGpu(State& state, std::shared_ptr<Loaded> loaded, bool confirming)
      : state_(state), loaded_(std::move(loaded)), confirming_(confirming) {}

  void poison() override {
    begin();
    state_.fit(*loaded_);
    state_.check.prepare();
  }
  void exchange_inputs() override {
    begin();
    state_.inputs.exchange();
  }
  void prepare() override {
    begin();
    state_.restore(*loaded_);
    state_.settle();
  }
  double launch_ns() override {
    return state_
        .time(
            *loaded_, [] {}, timing::LaunchTimer::kHoldCycles, timing::Repeat::kNever)
        .ns;
  }
  std::optional<std::string> verify() override { return state_.check.verify(); }

 private:
  void begin() const {
    if (confirming_) state_.note_begun(0);
  }

  State& state_;
  std::shared_ptr<Loaded> loaded_;
  bool confirming_;
};

bool KernelRunner::State::is_suspicious(const NewInputTimes& times) const {
  return inputs.has_two() && MemoryOfResults(arguments.any_separate()).are_suspicious(times);
}

std::optional<model::Rejection> KernelRunner::State::remembered(
    const model::NamedValues& configuration, const kernel_templates::CompiledKernel& compiled,
    bool confirming) {
  if (!inputs.has_two()) return std::nullopt;
  return verification::examine(arguments.any_separate(), [&]() -> model::Outcome<NewInputTimes> {
    if (confirming) note_begun(0);
    auto loaded = load(instance.screened_plan(configuration), instance.arguments(configuration), compiled);
    if (!loaded) return base::failure(loaded.error());
    CodeOnGpu code(*this, std::move(*loaded), confirming);
    return verification::observe(code);
  });
}

}  // namespace warptune::profiling
