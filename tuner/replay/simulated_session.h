#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "search/scoring/recorded_space.h"
#include "search/scoring/simulation.h"
#include "search/strategy.h"
#include "tuner/evaluation/simulated_machine.h"
#include "tuner/replay/simulated_evaluator.h"
#include "tuner/session/budget.h"

namespace warptune::tuner::replay {

/// A session to simulate.
struct SessionSimulation {
  evaluation::SimulatedMachineOptions machine;
  SimulatedCache cache;
  session::Budget budget;
  /// Ends the search after so many evaluations. Unlike `budget`, the session does not know this in advance.
  std::optional<std::uint64_t> stop_after;
  /// The time that each choice of the strategy takes, s. Without it, the CPU time of the strategy is
  /// measured, and two simulations with the same seed may differ.
  std::optional<double> choice_s;
};

/// Simulates a session of `tune` in time, over a recording: with its loop, its rule how far to ask ahead, and
/// a simulated machine. `options` are those of the strategy. The seconds of the trace count from the start of
/// the session. Throws `base::InputError` for an unknown strategy.
search::scoring::Trace simulate_session(std::string_view strategy,
                                        const search::scoring::RecordedSpace& recorded,
                                        const search::StrategyOptions& options,
                                        const SessionSimulation& simulation);

/// The same with a strategy that the caller created for `recorded.space()`.
search::scoring::Trace simulate_session(std::string_view name, search::Strategy& strategy,
                                        const search::scoring::RecordedSpace& recorded,
                                        const SessionSimulation& simulation);

}  // namespace warptune::tuner::replay
