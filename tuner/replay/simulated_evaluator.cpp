// Joins a recording and a simulated machine. The rule how far to ask ahead is that of `ProcessEvaluator`.
#include "tuner/replay/simulated_evaluator.h"

#include "base/random.h"

namespace warptune::tuner::replay {

SimulatedEvaluator::SimulatedEvaluator(const search::scoring::RecordedSpace& recorded,
                                       const evaluation::SimulatedMachineOptions& machine,
                                       const SimulatedCache& cache)
    : recorded_(recorded),
      cache_(cache),
      costs_(recorded),
      machine_(machine),
      compile_workers_(machine.compile_workers) {}

bool SimulatedEvaluator::is_cached(std::uint64_t index) const {
  base::Random random(cache_.seed * 0x9E3779B97F4A7C15ULL + index);
  return random.unit() < cache_.share;
}

void SimulatedEvaluator::submit(evaluation::Candidate candidate) {
  const model::Configuration configuration = *recorded_.space().configuration_of(candidate.configuration);
  const std::uint64_t index = *recorded_.space().index_of(configuration);
  const search::scoring::ReplayRow& row = recorded_.rows()[index];
  EvaluationCost cost = costs_.of(row);
  if (is_cached(index)) cost.compile_s = 0.0;
  submitted_.emplace(candidate.id, &row);
  machine_.submit({candidate.id, cost.compile_s, cost.measure_s, cost.uses_gpu});
}

std::vector<evaluation::EvaluationEvent> SimulatedEvaluator::wait(std::chrono::milliseconds) {
  std::vector<evaluation::EvaluationEvent> events;
  for (const std::uint64_t id : machine_.wait()) {
    const search::scoring::ReplayRow* row = submitted_.extract(id).mapped();
    model::Measurement measurement;
    measurement.configuration = row->measurement->configuration;
    measurement.status = row->status;
    measurement.time = row->measurement->time;
    events.emplace_back(evaluation::MeasurementEvent{id, std::move(measurement)});
  }
  return events;
}

double SimulatedEvaluator::final_rounds_s(const std::vector<model::Configuration>& finalists,
                                          int rounds) const {
  double seconds = 0.0;
  for (const model::Configuration& finalist : finalists) seconds += costs_.launch_s(recorded_.row(finalist));
  return seconds * rounds;
}

}  // namespace warptune::tuner::replay
