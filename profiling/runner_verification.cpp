#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "model/median.h"
#include "model/own_metrics.h"
#include "profiling/runner_state.h"

// Verifies launches beyond the first one of a configuration (docs/measuring.md, "What is verified").
//
// A race verifies one launch, which is chosen at random among the first ones, and later one in
// kVerificationInterval at random. The choice is unpredictable, so a kernel cannot compute only in launches
// that are verified. The first verified launch always runs on the other set of inputs, the later ones on it
// at random. A kernel that returns remembered results is wrong there.
//
// A kernel may also notice that its inputs changed, and compute only then. It is right, but its time on known
// inputs is not the time of its work. So the time of the first launch on new inputs is compared with the
// times of the following ones on the same inputs. If the first takes much longer, the code is loaded again
// and the comparison repeated kTimesConfirmed times. If all agree, the configuration is implausible.
namespace warptune::profiling {

using timing::Sample;

namespace {

// A kernel that returns remembered results saves most of its work. The times of honest kernels differ by a
// few percent.
constexpr double kRememberedRatio = 1.25;
constexpr double kRememberedNs = 3000.0;
// Inputs in the host's memory may or may not be in the host's caches. The first launch took up to 1.3 times
// as long.
constexpr double kRememberedRatioOnHost = 2.0;
constexpr std::size_t kMinLaterTimes = 2;
constexpr int kTimesConfirmed = 2;
// After the first verified sample of a race, one in this many is verified.
constexpr std::uint64_t kVerificationInterval = 8;

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

// Times a launch and verifies it. With two sets of inputs, the outputs still hold the right results for the
// other set. A kernel that skips work that looks done is therefore wrong. Otherwise, and when the timer
// repeats a launch, the outputs are poisoned.
KernelRunner::State::VerifiedSample KernelRunner::State::time_verified(Loaded& loaded, bool on_other_inputs,
                                                                       std::uint64_t hold_cycles) {
  bool stale = on_other_inputs && inputs.has_two();
  if (stale) inputs.exchange();
  const auto prepare = [&] {
    fit(loaded);
    check.prepare(!std::exchange(stale, false));
    // Data in the L2 is written back to memory before the launch.
    if (!timer.flushes_each()) timer.flush();
  };
  const Sample sample = time(loaded, prepare, hold_cycles);
  return {sample, check.verify()};
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
      new_inputs.first_ns = sample.ns;
    } else if (i > first_verified) {
      new_inputs.later_ns.push_back(sample.ns);
    }
    race.add(sample.ns);
    if (sample.sm_clock_mhz > 0.0) clocks_mhz.push_back(sample.sm_clock_mhz);
    if (sample.off_clock) ++off_clock;
  }
  if (race.verdict() == timing::RaceVerdict::kMeasured) {
    while (new_inputs.later_ns.size() < kMinLaterTimes) new_inputs.later_ns.push_back(time(loaded).ns);
  }
  if (!clocks_mhz.empty())
    measurement.counters[model::own_metric::kSmClockMhz] = model::median_of(clocks_mhz);
  if (off_clock > 0) measurement.counters[model::own_metric::kOffClockSamples] = off_clock;
  return std::nullopt;
}

std::optional<double> KernelRunner::State::NewInputTimes::ratio(bool on_host) const {
  if (later_ns.size() < kMinLaterTimes) return std::nullopt;
  const double later = model::median_of(later_ns);
  const double maximum = (on_host ? kRememberedRatioOnHost : kRememberedRatio) * later + kRememberedNs;
  return first_ns > maximum ? std::optional(first_ns / later) : std::nullopt;
}

// Loads the code again, so that it remembers nothing.
KernelRunner::State::NewInputTimes KernelRunner::State::time_on_new_inputs(
    const model::NamedValues& configuration, const kernel_templates::CompiledKernel& compiled) {
  const auto loaded = load(instance.screened_plan(configuration), configuration, compiled);
  if (!loaded)
    throw base::InternalError("a configuration that was measured before cannot be loaded again: " +
                              loaded.error().reason);
  time(**loaded);  // The code is new to the GPU.
  NewInputTimes times;
  times.first_ns = time_verified(**loaded, true).sample.ns;
  for (std::size_t i = 0; i <= kMinLaterTimes; ++i) times.later_ns.push_back(time(**loaded).ns);
  return times;
}

std::optional<std::string> KernelRunner::State::remembered(const model::NamedValues& configuration,
                                                           const kernel_templates::CompiledKernel& compiled,
                                                           NewInputTimes times) {
  if (!inputs.has_two()) return std::nullopt;
  const bool on_host = arguments.any_on_host();
  for (int i = 0; i <= kTimesConfirmed; ++i) {
    if (!times.ratio(on_host)) return std::nullopt;
    if (i < kTimesConfirmed) times = time_on_new_inputs(configuration, compiled);
  }
  return fmt::format("takes {:.2f} times as long on inputs that it has not seen ({} instead of {})",
                     *times.ratio(on_host), base::format_time_ns(times.first_ns),
                     base::format_time_ns(model::median_of(times.later_ns)));
}

}  // namespace warptune::profiling
