#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/measurement.h"
#include "model/roof_reading.h"
#include "profiling/timing/finalist_timing.h"

namespace warptune::tuner::evaluation {

/// A configuration to be evaluated, by a number the session chose.
struct Candidate {
  std::uint64_t id = 0;
  model::NamedValues configuration;
};

/// An evaluation has ended.
struct MeasurementEvent {
  std::uint64_t id = 0;
  model::Measurement measurement;
};

/// The counters of an evaluation that ended earlier.
struct CounterEvent {
  std::uint64_t id = 0;
  model::Counters counters;
};

/// A replay cannot say: nobody measured this configuration. Not an evaluation: neither stored nor counted.
struct UnknownEvent {
  std::uint64_t id = 0;
};

using EvaluationEvent = std::variant<MeasurementEvent, CounterEvent, UnknownEvent>;

/// How many of the events end an evaluation: all but those of counters.
std::size_t count_measurements(const std::vector<EvaluationEvent>& events);

/// Compiles, screens, verifies, times and counts candidates: on a GPU, from a recording, or as a test's fake.
class Evaluator {
 public:
  /// How long a caller waits for events at most before it looks again whether it is to end.
  static constexpr std::chrono::milliseconds kTick{100};

  virtual ~Evaluator() = default;

  /// How many more candidates it wants now so that nothing waits.
  virtual std::size_t wanted() const = 0;
  virtual void submit(Candidate candidate) = 0;
  /// Whether it is set up. `wait` brings it there.
  virtual bool is_ready() const { return true; }
  /// Candidates submitted of which no measurement or unknown event has been given yet.
  virtual std::size_t pending() const = 0;
  /// What happened since; waits up to `timeout` for something to happen.
  virtual std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) = 0;
  /// Forgets candidates that the GPU has not begun: no event comes for them.
  virtual void drop_waiting() = 0;
  /// The best median so far, ns: hopeless candidates get fewer launches.
  virtual void set_incumbent(double median_ns) = 0;
  /// What it measured as best so far may be wrong: candidates race against what it measures from now on.
  virtual void withdraw_incumbent() {}
  /// Counters still outstanding; call when nothing is pending.
  virtual std::vector<CounterEvent> close_counters() = 0;
  /// Finalists measured in `rounds` interleaved rounds, each launch verified; empty when it cannot.
  virtual std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int rounds) = 0;
  /// Launches a configuration on inputs that it has not seen and verifies each launch; nothing when it
  /// cannot.
  virtual std::optional<profiling::timing::Confirmation> confirm(const model::NamedValues&) {
    return std::nullopt;
  }

  /// Waits until it is ready. Roofs that were not known may come after the first evaluation; until then they
  /// are what theory says.
  virtual const model::Roofs& roofs() const = 0;
  /// Roofs that were measured because none were known, to be stored; empty elsewhere.
  virtual std::vector<model::RoofReading> new_roofs() const { return {}; }
  /// Waits until it is ready.
  virtual const model::Environment& environment() const = 0;
  /// Time spent so far, s: the clock on a GPU; in a replay the GPU worker's recorded time, as compiling runs
  /// ahead.
  virtual double elapsed_s() const = 0;
  /// Lines for people about the evaluation, each once: counters that cannot be read, workers that were
  /// replaced.
  virtual std::vector<std::string> take_warnings() = 0;
};

}  // namespace warptune::tuner::evaluation
