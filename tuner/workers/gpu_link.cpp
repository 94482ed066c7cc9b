// The states of a GPU worker as the coordinator sees them, and what leads from one to the next:
//
//   state     the worker                                 what leads on
//   starting  was started and told the steps so far      `Ready` -> ready; it ends, or takes longer than
//             (`prepare`, `set_up`, `begin`)             three minutes -> down, and `collect` throws
//   ready     has up to two evaluations, of which it     it ends, loses its context, sends what nobody
//             has begun the first; counts beside         asked for, or passes its deadline -> down; what
//                                                        it had begun ends with the reason
//   down      is gone; what it was not at is kept        something to do (`wake`, `collect`) -> starting:
//                                                        another is told the same steps, lost counts, and
//                                                        what was kept
//
// What a worker says in each state is in gpu_link_messages.cpp, questions that wait for their answer are in
// gpu_link_answers.cpp.
#include "tuner/workers/gpu_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace warptune::tuner::workers {

using model::Status;
using std::chrono::steady_clock;

GpuLink::GpuLink(int ordinal, evaluation::EvaluationLimit limit)
    : GpuLink(ordinal, limit, processes::WorkerProcess(fmt::format("gpu {}", ordinal))) {}

GpuLink::GpuLink(int ordinal, evaluation::EvaluationLimit limit, processes::WorkerProcess process)
    : ordinal_(ordinal), limit_(limit), process_(std::move(process)) {}

void GpuLink::prepare(protocol::PrepareGpu message) {
  message.ordinal = ordinal_;
  prepare_ = std::move(message);
  post(*prepare_);
  front_since_ = steady_clock::now();
}

void GpuLink::set_up(protocol::SetUp message) {
  set_up_ = std::move(message);
  post(*set_up_);
  set_up_->replacement = true;  // What any later worker is.
}

void GpuLink::begin(protocol::Begin message) {
  begin_ = std::move(message);
  post(*begin_);
  front_since_ = steady_clock::now();
}

void GpuLink::restart() {
  process_ = processes::WorkerProcess(fmt::format("gpu {}", ordinal_));
  context_lost_ = begun_ = false;
  conversation_ = {};
  if (prepare_) post(*prepare_);
  if (set_up_) post(*set_up_);
  if (begin_) post(*begin_);
  state_ = State::kStarting;
  front_since_ = steady_clock::now();
  // Read at once, before the next candidate can end this worker, too.
  const std::vector<const protocol::Count*> lost = counters_.take_lost();
  for (const protocol::Count* message : lost) ask_for(*message);
  if (!lost.empty()) {
    post(protocol::CloseCounters{});
    ++conversation_.closings;
  }
  for (const protocol::Evaluate& message : in_flight_) ask_for(message);
}

void GpuLink::ask_for(const protocol::Message& message) {
  ++conversation_.asked;
  post(message);
}

void GpuLink::end() {
  how_ended_ = process_.end();
  counters_.note_worker_ended();
  state_ = State::kDown;
}

void GpuLink::wait_until_ready() {
  while (!is_ready()) {
    wake();
    pollfd polled{process_.channel().descriptor(),
                  static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&polled, 1, 100);
    early_ = collect();
  }
}

void GpuLink::evaluate(protocol::Evaluate message) {
  if (in_flight_.empty()) front_since_ = steady_clock::now();
  // A worker that is gone shows in `collect`; one that hangs must not make this process hang, too.
  if (state_ != State::kDown) ask_for(message);
  in_flight_.push_back(std::move(message));
}

void GpuLink::blame_front(Status status, const std::string& reason,
                          std::vector<evaluation::EvaluationEvent>& events) {
  if (in_flight_.empty()) return;
  model::Measurement measurement;
  measurement.configuration = in_flight_.front().configuration;
  measurement.status = status;
  measurement.reason = processes::with_printed(reason, process_.printed());
  events.emplace_back(evaluation::MeasurementEvent{in_flight_.front().id, std::move(measurement)});
  in_flight_.pop_front();
  begun_ = false;
}

// Of an evaluation that the worker is at; of all else that it does, such as opening a profiler session, the
// longest.
std::chrono::milliseconds GpuLink::deadline() const {
  if (!begun_) return std::max(limit_.maximum, limit_.asked.value_or(limit_.maximum));
  const double incumbent_ns = in_flight_.front().incumbent_ns;
  const double best_ns = incumbent_ns > 0.0 && best_ns_ > 0.0 ? std::min(incumbent_ns, best_ns_)
                                                              : std::max(incumbent_ns, best_ns_);
  return limit_.of(best_ns, prepare_ ? prepare_->measuring : profiling::MeasuringOptions());
}

std::vector<evaluation::EvaluationEvent> GpuLink::collect() {
  // Not where it ended: starting another may throw, and the event of the one that ended must not be lost.
  if (state_ == State::kDown && !is_idle()) restart();
  std::vector<evaluation::EvaluationEvent> events = std::exchange(early_, {});
  if (state_ == State::kDown) return events;
  const bool open = take_messages(events);
  if (reported_) return events;
  const auto since_front = steady_clock::now() - front_since_;
  if (state_ == State::kStarting) {
    if (open && since_front <= kSetUpTimeout) return events;
    end();
    throw base::MachineError("the GPU worker ended while setting up: " + how_ended_,
                             "see whether another program holds the GPU (nvidia-smi)");
  }
  const std::chrono::milliseconds limit = deadline();
  const bool late = (counters_.is_counting() || !in_flight_.empty()) && since_front > limit;
  if (!context_lost_ && open && !late) return events;
  if (late) process_.kill();
  const bool was_counting = !begun_ && counters_.is_counting();
  end();
  // Counting once more did it, not the evaluation behind. Or it reported the fault and ends by itself:
  // nothing more is to blame.
  if (was_counting || context_lost_) return events;
  if (!open) {
    blame_front(Status::kWorkerDied, fmt::format("the GPU worker ended: {}", how_ended_), events);
  } else {
    blame_front(Status::kTimedOut,
                fmt::format("the evaluation took more than {:.3g} s; --timeout SECONDS raises this limit",
                            static_cast<double>(limit.count()) / 1e3),
                events);
  }
  return events;
}

std::vector<std::string> GpuLink::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace warptune::tuner::workers
