// Decides when the launches of a runner's configurations are counted. To count a launch means to read the
// hardware counters of this launch in a session of the profiler.
//
// A counted launch takes about a millisecond longer than another one. Many configurations of a search are
// dropped after their first launch, which is verified. So a launch is counted only when it is known that the
// configuration was not dropped so early. Every eighth of the others is counted, too, so that `explain` and
// `report` also know slow configurations. If the metrics take several passes, the session launches again for
// each further pass.
//
// If almost no configuration is dropped so early, or if all are to be counted, a further launch would only
// cost time. Then the first launch itself is counted.
//
// Two kinds of configurations are counted later, many of them together. One is host programs that the host
// times, because an open session would slow down their launches. The other is everything that is measured
// before the first session is opened.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "profiling/runner_state.h"

namespace warptune::profiling {

using driver::CudaError;

bool KernelRunner::State::counts_first_launch(const Loaded& loaded) const {
  // From about here on, the further launches cost more than what is saved by not counting the rest.
  constexpr double kMostAreContenders = 0.75;
  return (options.count_all || contender_share > kMostAreContenders) && counting.has_started() &&
         !loaded.plan.is_timed_by_host();
}

bool KernelRunner::State::note_contender(const timing::Race& race) {
  constexpr double kWeight = 1.0 / 16.0;
  const bool is_contender = race.is_contender();
  contender_share += kWeight * ((is_contender ? 1.0 : 0.0) - contender_share);
  return is_contender;
}

// Counts a configuration whose first launch was not counted, unless it is one of those that are left out.
// Returns why the outputs of the counted launch are wrong. If the launch fails only while it is counted, the
// measurement stays: the launches of further passes may be those of other configurations.
std::optional<std::string> KernelRunner::State::count_measured(std::uint64_t id,
                                                               const std::shared_ptr<Loaded>& loaded,
                                                               bool is_contender) {
  constexpr std::size_t kSampledOfDropped = 8;
  if (!options.count_all && !is_contender && dropped_after_first++ % kSampledOfDropped != 0)
    return std::nullopt;
  try {
    if (loaded->plan.is_timed_by_host() || !counting.has_started()) {
      count_later(id, loaded);
      return std::nullopt;
    }
    count_again(id, loaded);
  } catch (const CudaError& error) {
    has_counted = false;
    note_lost_counters(error);
    return std::nullopt;
  }
  if (!has_counted) return std::nullopt;
  return check.verify();
}

// Passes on errors that make the context unusable.
void KernelRunner::State::note_lost_counters(const CudaError& error) {
  if (driver::is_sticky(error.code())) throw error;
  warnings.push_back(fmt::format("hardware counters were lost: {}", error.what()));
}

// Does the launch that is verified, and counts it. Returns its time, which is a few microseconds too long,
// because the GPU may be idle when the launch is submitted.
double KernelRunner::State::launch_first(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  const std::optional<double> ns = count_launch(id, loaded, [this, loaded] { prepare_first(*loaded); });
  return ns ? *ns : launch_uncounted(*loaded);
}

// Counts a launch of a configuration that was verified before. Its outputs are not compared, so they need not
// be poisoned.
void KernelRunner::State::count_again(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  if (!counting.active()) return;
  count_launch(id, loaded, [this, loaded] {
    restore(*loaded);
    timer.flush();
    synchronise();
  });
}

// Returns the time of the launch, or std::nullopt if it was not counted, and may not have run.
std::optional<double> KernelRunner::State::count_launch(std::uint64_t id,
                                                        const std::shared_ptr<Loaded>& loaded,
                                                        const std::function<void()>& prepare) {
  // The session calls these functions again for each further pass, after this function has returned. So they
  // must not refer to its local variables. Only the time of the first pass is kept.
  const auto first = std::make_shared<double>(0.0);
  const auto counted = [this, loaded, first] {
    const double ns = time_bare_ns(*loaded);
    if (*first > 0.0) return;
    *first = ns;
    counting.set_expected_time_of_last(ns);
  };
  if (!count_first(id, prepare, counted, *loaded)) return std::nullopt;
  return *first;
}

double KernelRunner::State::launch_uncounted(Loaded& loaded) {
  prepare_first(loaded);
  return time_bare_ns(loaded);
}

void KernelRunner::State::prepare_first(Loaded& loaded) {
  fit(loaded);
  check.prepare();
  // Data that preparing left in the L2 is written back before the launch.
  timer.flush();
  synchronise();
}

double KernelRunner::State::time_bare_ns(Loaded& loaded) {
  const auto run = [&] { launch(loaded); };
  return loaded.plan.is_timed_by_host() ? timer.time_bare_program_ns(run) : timer.time_bare_ns(run);
}

// Adds a configuration to those that are counted later. Many are counted in one session, because opening a
// session takes longer than counting them.
void KernelRunner::State::count_later(std::uint64_t id, const std::shared_ptr<Loaded>& loaded) {
  if (!counting.active()) return;
  has_counted = true;
  deferred.push_back({id, loaded});
  // Before the first session, `start_counting` counts: opening it would count as time of this evaluation.
  if (counting.has_started() && defers_programs() && has_full_batch()) count_deferred(kAll);
}

// Programs that the host times are counted when their batch is full. If a session were opened for each, the
// next program would close it before it is timed.
bool KernelRunner::State::defers_programs() const {
  return !deferred.empty() && deferred.back().loaded->plan.is_timed_by_host();
}

bool KernelRunner::State::has_full_batch() const {
  constexpr std::size_t kMaxPrograms = 32;
  return deferred.size() >= (defers_programs() ? kMaxPrograms : options.counter_batch);
}

void KernelRunner::State::start_counting() {
  constexpr std::chrono::seconds kTurn{1};  // An evaluation may be waiting.
  counting.start();
  if (!defers_programs()) count_deferred(kTurn);
}

// Counts what was deferred, in order, until all is counted or the time is over.
void KernelRunner::State::count_deferred(std::chrono::seconds limit) {
  if (deferred.empty()) return;
  counting.start();
  const auto begun = std::chrono::steady_clock::now();
  const auto is_over = [&] { return limit != kAll && std::chrono::steady_clock::now() - begun >= limit; };
  while (!deferred.empty() && !is_over()) {
    const Deferred one = std::move(deferred.front());
    deferred.pop_front();
    try {
      count_again(one.id, one.loaded);
    } catch (const CudaError& error) {
      note_lost_counters(error);
    } catch (const base::MachineError& error) {  // Scratch or padded rows do not fit into memory any more.
      warnings.push_back(fmt::format("a launch has no hardware counters: {}", error.what()));
    }
  }
}

// Counts a launch, and returns whether it ran. The profiler does not support everything that a program may
// do, such as launching from a kernel. Such a program gets no counters.
bool KernelRunner::State::count_first(std::uint64_t id, const std::function<void()>& prepare,
                                      const std::function<void()>& counted, const Loaded& loaded) {
  try {
    has_counted = counting.count(id, prepare, counted, loaded.plan.is_graph());
    return has_counted;
  } catch (const CudaError& error) {
    const bool may_be_refused = loaded.plan.profiler_may_refuse() || !instance.definition().libraries.empty();
    if (!may_be_refused || driver::is_sticky(error.code())) throw;
    warnings.push_back(
        fmt::format("a launch has no hardware counters, because it fails while the profiler counts it: {}",
                    error.what()));
    return false;
  }
}

// Closes the session before the host times launches, because an open session makes them slower.
void KernelRunner::State::pause_counting() {
  try {
    counting.pause();
  } catch (const CudaError& error) {  // The launch of a further pass failed.
    note_lost_counters(error);
  }
}

}  // namespace warptune::profiling
