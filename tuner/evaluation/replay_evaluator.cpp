#include "tuner/evaluation/replay_evaluator.h"

namespace warptune::tuner::evaluation {

ReplayEvaluator::ReplayEvaluator(const model::Recording& recording)
    : recording_(recording), index_(recording) {}

std::vector<EvaluationEvent> ReplayEvaluator::wait(std::chrono::milliseconds) {
  std::vector<EvaluationEvent> events;
  while (!waiting_.empty()) {
    Candidate candidate = std::move(waiting_.front());
    waiting_.pop_front();
    const model::Measurement* found = index_.find(candidate.configuration);
    if (found == nullptr) {
      events.emplace_back(UnknownEvent{candidate.id});
      continue;
    }
    model::Measurement measurement = *found;
    // The recording may list the parameters in another order.
    measurement.configuration = candidate.configuration;
    elapsed_s_ += measurement.measure_ms * 1e-3;
    events.emplace_back(MeasurementEvent{candidate.id, std::move(measurement)});
  }
  return events;
}

}  // namespace warptune::tuner::evaluation
