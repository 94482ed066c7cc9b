#include "tuner/evaluation/evaluator.h"

#include <algorithm>

namespace warptune::tuner::evaluation {

std::size_t count_measurements(const std::vector<EvaluationEvent>& events) {
  return static_cast<std::size_t>(std::count_if(events.begin(), events.end(), [](const auto& event) {
    return !std::holds_alternative<CounterEvent>(event);
  }));
}

}  // namespace warptune::tuner::evaluation
