// A recording in real time. The simulated machine computes when each evaluation ends, and its clock may be
// ahead of the real one. The events that it gives are kept until the real clock has come so far.
#include "tuner/evaluation/paced_evaluator.h"

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "tuner/evaluation/ask_ahead.h"

namespace warptune::tuner::evaluation {

namespace {

using std::chrono::steady_clock;

// A recorded time in s; 0 if the recording lacks it.
double seconds_of(double recorded_ms) { return std::isfinite(recorded_ms) ? recorded_ms * 1e-3 : 0.0; }

}  // namespace

PacedEvaluator::PacedEvaluator(const model::Recording& recording, const Pace& pace)
    : recording_(recording),
      index_(recording),
      pace_(pace),
      machine_({.compile_workers = std::max<std::size_t>(1, pace.compile_workers)}) {}

std::size_t PacedEvaluator::wanted() const { return wanted_ahead(pace_.compile_workers, 1, pending()); }

double PacedEvaluator::elapsed_s() const {
  const std::chrono::duration<double> passed = steady_clock::now() - start_;
  return passed.count() / pace_.factor;
}

void PacedEvaluator::submit(Candidate candidate) {
  const double idle_s = elapsed_s() - machine_.now_s();
  if (idle_s > 0.0) machine_.spend(idle_s);
  const model::Measurement* found = index_.find(candidate.configuration);
  if (found == nullptr) {
    due_.push_front({0.0, UnknownEvent{candidate.id}});
    return;
  }
  machine_.submit({candidate.id, seconds_of(found->compile_ms), seconds_of(found->measure_ms),
                   found->status != model::Status::kCompileFailed});
  model::Measurement measurement = *found;
  // The recording may list the parameters in another order.
  measurement.configuration = std::move(candidate.configuration);
  waiting_.emplace(candidate.id, MeasurementEvent{candidate.id, std::move(measurement)});
}

// Lets the simulated machine continue to its next moment.
void PacedEvaluator::advance() {
  for (const std::uint64_t id : machine_.wait()) {
    const auto found = waiting_.find(id);
    if (found == waiting_.end()) continue;
    due_.push_back({machine_.now_s(), std::move(found->second)});
    waiting_.erase(found);
  }
}

std::chrono::nanoseconds PacedEvaluator::time_until(double moment_s) const {
  const std::chrono::duration<double> from_start(moment_s * pace_.factor);
  return std::chrono::duration_cast<std::chrono::nanoseconds>(from_start - (steady_clock::now() - start_));
}

std::vector<EvaluationEvent> PacedEvaluator::wait(std::chrono::milliseconds timeout) {
  if (due_.empty()) advance();
  const double next_s = due_.empty() ? machine_.now_s() : due_.front().end_s;
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(timeout, time_until(next_s)));
  std::vector<EvaluationEvent> events;
  while (!due_.empty() && time_until(due_.front().end_s).count() <= 0) {
    events.push_back(std::move(due_.front().event));
    due_.pop_front();
  }
  return events;
}

void PacedEvaluator::drop_waiting() {
  machine_.drop_waiting();
  while (machine_.pending() > 0) advance();
  waiting_.clear();
}

}  // namespace warptune::tuner::evaluation
