#include "tuner/replay/replay_evaluator.h"

namespace warptune::tuner::replay {

ReplayEvaluator::ReplayEvaluator(const model::Recording& recording)
    : recording_(recording), index_(recording) {}

std::vector<session::EvaluationEvent> ReplayEvaluator::wait(std::chrono::milliseconds) {
  std::vector<session::EvaluationEvent> events;
  while (!waiting_.empty()) {
    session::Candidate candidate = std::move(waiting_.front());
    waiting_.pop_front();
    const model::Measurement* found = index_.find(candidate.configuration);
    if (found == nullptr) {
      events.emplace_back(session::UnknownEvent{candidate.id});
      continue;
    }
    model::Measurement measurement = *found;
    measurement.configuration = candidate.configuration;
    elapsed_s_ += measurement.measure_ms * 1e-3;
    events.emplace_back(session::MeasurementEvent{candidate.id, std::move(measurement)});
  }
  return events;
}

}  // namespace warptune::tuner::replay
