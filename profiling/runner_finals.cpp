#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

#include "profiling/runner_state.h"
#include "profiling/verification/finalist_errors.h"
#include "profiling/verification/output_bits.h"
#include "profiling/verification/output_deviations.h"

// Chooses the winner of a session among its best configurations.
//
// The finals time the finalists in rounds. Each round launches all of them in a new random order, on the
// other set of inputs than the round before. A slow change of the GPU (heat, clocks) therefore affects all
// finalists alike, and the samples of one round can be compared in pairs. The outputs of every launch are
// verified. The first round is not timed, because code that is new to the GPU runs longer. The bits of the
// outputs are compared from launch to launch. Their digest is that of a launch on the inputs with which the
// session began, because other sessions and other GPUs have these inputs, too.
//
// Then the winner is confirmed. It is loaded again, so that it remembers nothing, and launched many times.
// About half of these launches run on inputs that no launch has seen. A kernel with a race may be wrong in
// only a few launches. If it is wrong in one of m, then n launches reveal it with a probability of
// 1 - (1 - 1/m)^n.
namespace warptune::profiling {

using model::Rejection;
using model::Status;
using verification::VerifiedSample;

namespace {

// So many launches reveal a kernel that is wrong in one of a hundred launches with a probability of 95 %.
constexpr std::uint64_t kConfirmingLaunches = 300;
constexpr std::chrono::seconds kMaxConfirming{2};
constexpr std::uint64_t kMinConfirming = 3;

}  // namespace

double timing::Confirmation::chance_of_detection(double n) const {
  return 1.0 - std::pow(1.0 - 1.0 / n, static_cast<double>(launches));
}

std::shared_ptr<KernelRunner::State::Loaded> KernelRunner::State::load_finalist(const Finalist& finalist) {
  auto loaded = load(instance.screened_plan(finalist.configuration),
                     instance.arguments(finalist.configuration), *finalist.compiled);
  if (!loaded)
    throw base::InternalError("a finalist that was measured before cannot be loaded: " +
                              loaded.error().reason);
  if ((*loaded)->plan.is_timed_by_host()) pause_counting();
  return std::move(*loaded);
}

void KernelRunner::State::note_begun(std::size_t finalist) const {
  if (options.begun) options.begun(finalist);
}

// Makes the error meter when it is first needed, because its kernels must be compiled. Returns false if there
// are no errors to measure: without floating-point outputs, or without right outputs to compare with.
bool KernelRunner::State::prepare_errors() {
  const bool any =
      std::any_of(arguments.all().begin(), arguments.all().end(), [](const driver::DeviceArgument& argument) {
        return argument.is_output() && kernel_templates::info(argument.argument.type).floating;
      });
  if (!(reference || instance.has_expected_files()) || !any) return false;
  if (!error_meter) error_meter.emplace(instance.gpu(), gpu.stream.get(), options.compile_cache);
  return true;
}

model::Counters KernelRunner::State::errors() {
  model::Counters counters;
  if (!prepare_errors()) return counters;
  if (const auto sums = check.errors(*error_meter)) sums->add_to(counters);
  return counters;
}

std::vector<timing::FinalistTiming> KernelRunner::State::time_interleaved(
    const std::vector<Finalist>& finalists, const std::vector<ExternalLaunch>& external, int rounds) {
  const std::uint64_t hold_cycles =
      external.empty() ? timing::LaunchTimer::kHoldCycles : timing::LaunchTimer::kLongHoldCycles;
  std::vector<timing::FinalistTiming> timings(finalists.size() + external.size());
  std::vector<std::function<VerifiedSample()>> all;
  all.reserve(timings.size());
  for (const Finalist& finalist : finalists)
    all.emplace_back([this, hold_cycles, one = load_finalist(finalist)] {
      return time_verified(*one, false, hold_cycles);
    });
  for (const ExternalLaunch& one : external) {
    all.emplace_back([this, hold_cycles, &one] {
      const timing::Sample sample =
          timer.time([&] { arguments.restore(); }, [&] { launch(one); }, hold_cycles);
      return VerifiedSample{sample, sample.ns, std::nullopt};
    });
  }
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  prepare_errors();
  keep_first_inputs();
  std::vector<verification::OutputBits> bits(finalists.size());
  // Round -1 is not timed, because the code is new to the GPU.
  for (int round = -1; round < rounds; ++round) {
    random.shuffle(order);
    inputs.exchange();
    for (const std::size_t i : order) {
      timing::FinalistTiming& timing = timings[i];
      if (timing.fault) continue;
      if (i < finalists.size()) note_begun(i);
      VerifiedSample taken = all[i]();
      if (i < finalists.size() && !taken.fault) note_outputs(bits[i], timing);
      if (round >= 0) timing.samples_ns.push_back(taken.sample.ns);
      if (!taken.fault) continue;
      timing.fault =
          Rejection{Status::kWrongResult, "right in its first launch, wrong in the finals: " + *taken.fault};
      timing.samples_ns.clear();
    }
  }
  for (std::size_t i = 0; i < finalists.size(); ++i) timings[i].bits = bits[i].counters();
  return timings;
}

// The inputs with which the session began are lost after a confirmation if there is room for one set only.
void KernelRunner::State::keep_first_inputs() {
  if (reference && !inputs.holds(options.seed)) inputs.renew(options.seed, [this] { run_reference(); });
}

// Compares the outputs of a right launch with those of earlier launches, and new bits with the reference.
void KernelRunner::State::note_outputs(verification::OutputBits& bits, timing::FinalistTiming& timing) {
  const bool are_new =
      bits.note(check.checksum_of_inputs(), check.checksum_of_outputs(), inputs.has_current(options.seed));
  if (are_new) verification::keep_largest_errors(timing.errors, errors());
}

timing::Confirmation KernelRunner::State::confirm(const Finalist& finalist) {
  timing::Confirmation confirmation;
  if (!reference && (!instance.has_reference() || instance.compiles_reference())) return confirmation;
  // The inputs with which the session began are kept for later final rounds.
  if (inputs.has_two() && inputs.has_current(options.seed)) inputs.exchange();
  // Given contents do not depend on a seed, so there are no other inputs.
  if (reference) inputs.renew(base::unforeseen_seed(), [this] { run_reference(); });
  const std::shared_ptr<Loaded> loaded = load_finalist(finalist);
  confirmation.is_nondeterministic = instance.is_nondeterministic(finalist.configuration);
  verification::OutputDeviations deviations(instance, arguments, gpu.helpers, check, gpu.stream.get(),
                                            options.compile_cache);
  deviations.prepare();
  prepare_errors();
  // New inputs and their reference can take longer than all launches, so the limit does not count them.
  const auto started = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < kConfirmingLaunches; ++i) {
    if (i >= kMinConfirming && std::chrono::steady_clock::now() - started > kMaxConfirming) break;
    note_begun(0);
    const VerifiedSample taken =
        time_verified(*loaded, i > 0 && unforeseen.below(2) == 0, timing::LaunchTimer::kHoldCycles);
    if (taken.fault) {
      confirmation.verdict = {Status::kWrongResult,
                              "right in its first launch, wrong when it was confirmed: " + *taken.fault};
      return confirmation;
    }
    const bool is_measured = deviations.note(confirmation);
    if (i == 0 || is_measured) verification::keep_largest_errors(confirmation.errors, errors());
  }
  if (const auto fault = remembered(finalist.configuration, *finalist.compiled, true))
    confirmation.verdict = *fault;
  return confirmation;
}

}  // namespace warptune::profiling
