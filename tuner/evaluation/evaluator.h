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

/// A configuration to be evaluated. The session chooses its `id`.
struct Candidate {
  std::uint64_t id = 0;
  model::NamedValues configuration;
};

/// An evaluation has ended.
struct MeasurementEvent {
  std::uint64_t id = 0;
  model::Measurement measurement;
};

/// The counters of an evaluation that has ended.
struct CounterEvent {
  std::uint64_t id = 0;
  model::Counters counters;
};

/// The recording of a replay lacks this configuration. This is not an evaluation: it is neither stored nor
/// counted.
struct UnknownEvent {
  std::uint64_t id = 0;
};

using EvaluationEvent = std::variant<MeasurementEvent, CounterEvent, UnknownEvent>;

/// How many of the events answer a candidate: all except those of counters, which follow later.
std::size_t count_measurements(const std::vector<EvaluationEvent>& events);

/// Compiles, screens, verifies, times and counts candidates. It uses a GPU or a recording, or is the fake of
/// a test.
class Evaluator {
 public:
  /// The maximum time to wait for events before a caller checks again whether it must end.
  static constexpr std::chrono::milliseconds kPollInterval{100};

  virtual ~Evaluator() = default;

  /// How many more candidates it needs now, so that neither compilers nor GPUs wait.
  virtual std::size_t wanted() const = 0;
  virtual void submit(Candidate candidate) = 0;
  /// Whether the set-up has ended. Calls of `wait` continue it.
  virtual bool is_ready() const { return true; }
  /// Submitted candidates for which neither a measurement nor an unknown event was returned.
  virtual std::size_t pending() const = 0;
  /// The events since the last call. If there is none, waits up to `timeout` for one.
  virtual std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) = 0;
  /// Forgets candidates that the GPU has not begun. No events follow for them.
  virtual void drop_waiting() = 0;
  /// Sets the best median so far, ns. Much slower candidates are launched less often.
  virtual void set_incumbent(double median_ns) = 0;
  /// To be called when the best measured time may be wrong. From then on, candidates race only against times
  /// that are measured later.
  virtual void withdraw_incumbent() {}
  /// Waits for the outstanding counters. Call it when nothing is pending.
  virtual std::vector<CounterEvent> close_counters() = 0;
  /// Sets the best and the slowest time of the finalists, ns. The time limits of their launches depend on
  /// them.
  virtual void set_finalist_times(double /*best_ns*/, double /*slowest_ns*/) {}
  /// Times finalists in `rounds` interleaved rounds and verifies each launch. Empty if it cannot, or if the
  /// session is cancelled meanwhile.
  /// A finalist that hangs, or that ends its worker each time, is reported with a fault. The others are timed
  /// without it.
  virtual std::vector<profiling::timing::FinalistTiming> time_interleaved(
      const std::vector<model::NamedValues>& finalists, int rounds) = 0;
  /// Whether a configuration that was evaluated before is measured again. A replay gives the same row.
  virtual bool measures_again() const { return false; }
  /// Launches a configuration on inputs that it has not seen and verifies each launch. Returns std::nullopt
  /// if this evaluator never can, because it has no GPU, or if the session is cancelled meanwhile. Any other
  /// confirmation that could not be completed has failed.
  virtual std::optional<profiling::timing::Confirmation> confirm(const model::NamedValues&) {
    return std::nullopt;
  }

  /// Waits until it is ready. Unknown roofs may be measured after the first evaluation. Until then they are
  /// the theoretical ones.
  virtual const model::Roofs& roofs() const = 0;
  /// Roofs to be stored, which were measured because none were known. Otherwise empty.
  virtual std::vector<model::RoofReading> new_roofs() const { return {}; }
  /// Waits until it is ready.
  virtual const model::Environment& environment() const = 0;
  /// Time spent so far, s. On a GPU it is wall-clock time. In a replay it is the recorded time of the GPU
  /// worker. Compiling is left out, because a session compiles the next configurations in the meantime.
  virtual double elapsed_s() const = 0;
  /// Warnings for people, each once: counters that cannot be read, workers that were replaced.
  virtual std::vector<std::string> take_warnings() = 0;
};

}  // namespace warptune::tuner::evaluation
