#pragma once

#include <cstdint>
#include <unordered_map>

#include "search/scoring/recorded_space.h"
#include "tuner/evaluation/ask_ahead.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/evaluation/simulated_machine.h"
#include "tuner/replay/recorded_costs.h"

namespace warptune::tuner::replay {

/// Which programs a simulated session finds in the compile cache.
struct SimulatedCache {
  double share = 0.0;      ///< The share of programs that are in the cache, 0 to 1.
  std::uint64_t seed = 1;  ///< Decides which ones these are.
};

/// Answers from a recording after the times that compiling and measuring take on a simulated machine.
class SimulatedEvaluator : public evaluation::Evaluator {
 public:
  /// `recorded` is borrowed and must outlive it.
  SimulatedEvaluator(const search::scoring::RecordedSpace& recorded,
                     const evaluation::SimulatedMachineOptions& machine, const SimulatedCache& cache);

  /// Advances the clock by a time during which the coordinator computes.
  void spend(double seconds) { machine_.spend(seconds); }
  /// The duration of final rounds, in which each of these configurations is launched `rounds` times.
  double final_rounds_s(const std::vector<model::Configuration>& finalists, int rounds) const;

  std::size_t wanted() const override {
    return evaluation::wanted_ahead(compile_workers_, 1, machine_.pending());
  }
  void submit(evaluation::Candidate candidate) override;
  bool is_ready() const override { return machine_.is_ready(); }
  std::size_t pending() const override { return machine_.pending(); }
  std::vector<evaluation::EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override { machine_.drop_waiting(); }
  void set_incumbent(double) override {}
  std::vector<evaluation::CounterEvent> close_counters() override { return {}; }
  std::vector<profiling::timing::FinalistTiming> time_interleaved(const std::vector<model::NamedValues>&,
                                                                  int) override {
    return {};
  }
  const model::Roofs& roofs() const override { return recorded_.recording().roofs; }
  const model::Environment& environment() const override { return recorded_.recording().environment; }
  double elapsed_s() const override { return machine_.now_s(); }
  std::vector<std::string> take_warnings() override { return {}; }

 private:
  bool is_cached(std::uint64_t index) const;

  const search::scoring::RecordedSpace& recorded_;
  SimulatedCache cache_;
  RecordedCosts costs_;
  evaluation::SimulatedMachine machine_;
  std::size_t compile_workers_;
  std::unordered_map<std::uint64_t, const search::scoring::ReplayRow*> submitted_;  ///< By candidate id.
};

}  // namespace warptune::tuner::replay
