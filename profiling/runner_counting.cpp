// When a runner has the launches of its configurations counted, and the first launch, which is verified and
// counted at once.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "profiling/runner_state.h"

namespace warptune::profiling {

using driver::CudaError;

// The launch that is verified; the same launch is counted. What it says of the time is a few microseconds
// long.
double KernelRunner::State::launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  // The session keeps what it is given beyond this call: nothing of this frame. Further passes launch again.
  const auto prepare = [this, loaded] { prepare_first(*loaded); };
  const auto first = std::make_shared<double>(0.0);
  const auto counted = [this, loaded, first] {
    const double ns = time_bare_ns(*loaded);
    if (*first > 0.0) return;
    *first = ns;
    counting.expect_of_last(ns);
  };
  if (count_first(id, prepare, counted, *loaded)) return *first;
  return launch_uncounted(*loaded);
}

double KernelRunner::State::launch_uncounted(Loaded& loaded) {
  prepare_first(loaded);
  return time_bare_ns(loaded);
}

void KernelRunner::State::prepare_first(Loaded& loaded) {
  fit(loaded);
  check.prepare();
  timer.flush();  // What preparing wrote is written back before the launch, not in it.
  synchronise();
}

double KernelRunner::State::time_bare_ns(Loaded& loaded) {
  const auto run = [&] { launch(loaded); };
  return loaded.plan.is_timed_by_host() ? timer.time_bare_program_ns(run) : timer.time_bare_ns(run);
}

// What is timed by the host is timed while no session is open, and counted many in one session later: opening
// one takes longer than they do. So is what comes before the first session is opened.
void KernelRunner::State::count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  constexpr std::size_t kMaxDeferred = 32;
  if (!counting.active()) return;
  deferred.push_back({id, loaded});
  if (deferred.size() == kMaxDeferred) count_deferred();
}

void KernelRunner::State::start_counting() {
  if (counting.has_started()) return;
  counting.start();
  // A program that the host times is counted at the end of its batch: its session would be closed at once.
  if (std::none_of(deferred.begin(), deferred.end(),
                   [](const Deferred& one) { return one.loaded->plan.is_timed_by_host(); }))
    count_deferred();
}

void KernelRunner::State::count_deferred() {
  if (deferred.empty()) return;
  counting.start();
  const std::vector<Deferred> waiting = std::exchange(deferred, {});
  for (const Deferred& one : waiting) launch_first(one.id, one.loaded);
}

// Where the profiler does not bear what a program does, such as launching from a kernel, it goes without
// counters.
bool KernelRunner::State::count_first(std::uint64_t id, const std::function<void()>& prepare,
                                      const std::function<void()>& counted, const Loaded& loaded) {
  try {
    return counting.count(id, prepare, counted);
  } catch (const CudaError& error) {
    const bool may_elude = loaded.plan.may_elude_counting() || !instance.definition().libraries.empty();
    if (!may_elude || driver::is_sticky(error.code())) throw;
    warnings.push_back(
        fmt::format("no hardware counters of a launch that fails while it is counted: {}", error.what()));
    return false;
  }
}

// What the host takes for a launch is not to be that of an open profiler session.
void KernelRunner::State::pause_counting() {
  try {
    counting.pause();
  } catch (const CudaError& error) {  // Of a launch in a further pass.
    if (driver::is_sticky(error.code())) throw;
    warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
  }
}

}  // namespace warptune::profiling
