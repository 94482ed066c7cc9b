// A simulation by events. The only events are ends: of compiling a program, and of an evaluation on the GPU.
// `advance_to` takes them in the order of time. What follows from them (the next program of a worker, the
// next evaluation of the GPU's worker) is done by `hand_out`, as the coordinator of a session does it.
#include "tuner/evaluation/simulated_machine.h"

#include <algorithm>
#include <utility>

namespace warptune::tuner::evaluation {

namespace {

constexpr std::size_t kOnGpu = 2;  // As `GpuLink::kMaxInFlight`.
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

void SimulatedMachine::submit(const SimulatedTask& task) {
  if (task.compile_s > 0.0) {
    to_compile_.push_back(task);
  } else {
    pass_on(task);
  }
  hand_out();
}

// A program is compiled, or found in the cache.
void SimulatedMachine::pass_on(const SimulatedTask& task) {
  if (task.uses_gpu) {
    compiled_.push_back(task);
  } else {
    ended_.push_back(task.id);
  }
}

void SimulatedMachine::hand_out() {
  while (!to_compile_.empty() && compiling_.size() < options_.compile_workers) {
    compiling_.push_back({to_compile_.front(), now_s_ + to_compile_.front().compile_s});
    to_compile_.pop_front();
  }
  while (!compiled_.empty() && on_gpu_.size() < kOnGpu) {
    on_gpu_.push_back({compiled_.front(), kNever});
    compiled_.pop_front();
    gpu_free_s_ = std::max({gpu_free_s_, on_gpu_.size() == 1 ? now_s_ : 0.0, options_.set_up_s});
    begin_on_gpu();
  }
}

// Sets the end of the first evaluation of the GPU's worker.
void SimulatedMachine::begin_on_gpu() {
  if (on_gpu_.empty() || on_gpu_.front().end_s != kNever) return;
  if (counted_ == options_.counted_together) {
    gpu_free_s_ += options_.counting_s;
    counted_ = 0;
  }
  ++counted_;
  gpu_free_s_ += on_gpu_.front().task.measure_s;
  on_gpu_.front().end_s = gpu_free_s_;
}

double SimulatedMachine::next_end_s() const {
  double next_s = on_gpu_.empty() ? kNever : on_gpu_.front().end_s;
  for (const Running& running : compiling_) next_s = std::min(next_s, running.end_s);
  return next_s;
}

void SimulatedMachine::advance_to(double moment_s) {
  for (double next_s = next_end_s(); next_s <= moment_s; next_s = next_end_s()) {
    if (!on_gpu_.empty() && on_gpu_.front().end_s == next_s) {
      ended_.push_back(on_gpu_.front().task.id);
      on_gpu_.pop_front();
      begin_on_gpu();
      continue;
    }
    const auto first = std::find_if(compiling_.begin(), compiling_.end(),
                                    [&](const Running& running) { return running.end_s == next_s; });
    pass_on(first->task);
    compiling_.erase(first);
  }
  now_s_ = std::max(now_s_, moment_s);
}

std::vector<std::uint64_t> SimulatedMachine::wait() {
  hand_out();
  if (ended_.empty()) {
    double next_s = next_end_s();
    if (!is_ready()) next_s = std::min(next_s, options_.set_up_s);
    if (next_s != kNever) advance_to(std::max(next_s, now_s_));
    hand_out();
  }
  return std::exchange(ended_, {});
}

void SimulatedMachine::drop_waiting() {
  to_compile_.clear();
  compiled_.clear();
}

}  // namespace warptune::tuner::evaluation
