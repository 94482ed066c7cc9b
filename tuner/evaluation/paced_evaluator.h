#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "tuner/evaluation/replay_evaluator.h"
#include "tuner/evaluation/simulated_machine.h"

namespace warptune::tuner::evaluation {

/// How fast a recording is replayed.
struct Pace {
  /// Seconds for each recorded second. 0: at once.
  double factor = 0.0;
  /// How many programs are compiled at the same time.
  std::size_t compile_workers = 1;
};

/// Answers from a recording after the time that a session would take, multiplied by a factor. A simulated
/// machine compiles with its workers and measures on one GPU. This object sleeps until its answers are due,
/// so it takes almost no time of a core.
class PacedEvaluator : public Evaluator {
 public:
  /// `recording` must outlive it. The factor of `pace` must be positive.
  PacedEvaluator(const model::Recording& recording, const Pace& pace);

  std::size_t wanted() const override;
  void submit(Candidate candidate) override;
  bool is_ready() const override { return machine_.is_ready(); }
  std::size_t pending() const override { return waiting_.size() + due_.size(); }
  std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override;
  void set_incumbent(double) override {}
  std::vector<CounterEvent> close_counters() override { return {}; }
  std::vector<profiling::timing::FinalistTiming> time_interleaved(const std::vector<model::NamedValues>&,
                                                                  int) override {
    return {};
  }
  const model::Roofs& roofs() const override { return recording_.roofs; }
  const model::Environment& environment() const override { return recording_.environment; }
  /// The recorded time that has passed, s, with the time for compiling.
  double elapsed_s() const override;
  std::vector<std::string> take_warnings() override { return {}; }

 private:
  // An event that is not returned before the clock of the simulated machine would show `end_s`.
  struct Due {
    double end_s = 0.0;
    EvaluationEvent event;
  };

  void advance();
  std::chrono::nanoseconds time_until(double moment_s) const;

  const model::Recording& recording_;
  model::RecordingIndex index_;
  Pace pace_;
  SimulatedMachine machine_;
  std::unordered_map<std::uint64_t, EvaluationEvent> waiting_;  ///< By the candidate's id.
  std::deque<Due> due_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace warptune::tuner::evaluation
