#pragma once

#include <deque>

#include "search/recording.h"
#include "tuner/evaluator.h"

namespace warptune::tuner {

/// Answers from a recording; of what the recording lacks it says that it is unknown.
class ReplayEvaluator : public Evaluator {
 public:
  /// `recording` must outlive it.
  explicit ReplayEvaluator(const search::Recording& recording);

  std::size_t wanted() const override { return waiting_.empty() ? 1 : 0; }
  void submit(Candidate candidate) override { waiting_.push_back(std::move(candidate)); }
  std::size_t pending() const override { return waiting_.size(); }
  std::vector<EvaluationEvent> wait(std::chrono::milliseconds timeout) override;
  void drop_waiting() override { waiting_.clear(); }
  void set_incumbent(double) override {}
  std::vector<CounterEvent> close_counters() override { return {}; }
  std::vector<profiling::FinalistTiming> time_interleaved(const std::vector<search::NamedValues>&,
                                                          int) override {
    return {};
  }
  const search::Roofs& roofs() const override { return recording_.roofs; }
  const search::Environment& environment() const override { return recording_.environment; }
  double elapsed_s() const override { return elapsed_s_; }
  std::vector<std::string> take_warnings() override { return {}; }

 private:
  const search::Recording& recording_;
  search::RecordingIndex index_;
  std::deque<Candidate> waiting_;
  double elapsed_s_ = 0.0;
};

}  // namespace warptune::tuner
