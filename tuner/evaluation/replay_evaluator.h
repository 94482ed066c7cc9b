#pragma once

#include <deque>

#include "model/recording.h"
#include "tuner/evaluation/evaluator.h"

namespace warptune::tuner::evaluation {

/// Answers from a recording. For a configuration that the recording lacks, it returns an `UnknownEvent`.
class ReplayEvaluator : public Evaluator {
 public:
  /// `recording` must outlive it.
  explicit ReplayEvaluator(const model::Recording& recording);

  std::size_t wanted() const override { return waiting_.empty() ? 1 : 0; }
  void submit(Candidate candidate) override { waiting_.push_back(std::move(candidate)); }
  std::size_t pending() const override { return waiting_.size(); }
  std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override { waiting_.clear(); }
  void set_incumbent(double) override {}
  std::vector<CounterEvent> close_counters() override { return {}; }
  std::vector<profiling::timing::FinalistTiming> time_interleaved(const std::vector<model::NamedValues>&,
                                                                  int) override {
    return {};
  }
  const model::Roofs& roofs() const override { return recording_.roofs; }
  const model::Environment& environment() const override { return recording_.environment; }
  double elapsed_s() const override { return elapsed_s_; }
  std::vector<std::string> take_warnings() override { return {}; }

 private:
  const model::Recording& recording_;
  model::RecordingIndex index_;
  std::deque<Candidate> waiting_;
  double elapsed_s_ = 0.0;
};

}  // namespace warptune::tuner::evaluation
