// The states of a GPU worker as the coordinator sees them, and the events that change them.
//
// Starting: the worker was started and got the steps so far (`prepare`, `set_up`, `begin`). Its message
// `Ready` makes the link ready. If the worker ends, or takes longer than three minutes, the link is down, and
// `collect` throws.
//
// Ready: the worker has up to two evaluations in a queue and counters of earlier ones to read. The link is
// down when the worker ends, loses its CUDA context, sends a message that was not asked for, or passes its
// deadline. The evaluation at the front of the queue then ends with the reason.
//
// Down: there is no worker. The rest of the queue is kept. `wake` starts another worker, and so does
// `collect` if the queue is not empty. The new worker gets the same steps, the lost counts and the rest of
// the queue. The link is starting again.
//
// Every evaluation ends exactly once: it leaves the queue when its result arrives, or when it is blamed for
// the end of its worker. A faulty kernel costs one worker and only its own evaluation, because the next
// evaluation starts again in a new process. Each end of a worker removes an evaluation or a count from its
// work, so that the session always advances.
//
// gpu_link_answers.cpp has the questions whose answers are awaited. gpu_link_messages.cpp handles all other
// messages of the worker.
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
  front_begun_at_ = steady_clock::now();
}

void GpuLink::set_up(protocol::SetUp message) {
  set_up_ = std::move(message);
  post(*set_up_);
  set_up_->replacement = true;  // Every later worker is a replacement.
}

void GpuLink::begin(protocol::Begin message) {
  begin_ = std::move(message);
  post(*begin_);
  front_begun_at_ = steady_clock::now();
}

void GpuLink::restart() {
  process_ = processes::WorkerProcess(fmt::format("gpu {}", ordinal_));
  context_lost_ = front_is_begun_ = false;
  conversation_ = {};
  if (prepare_) post(*prepare_);
  if (set_up_) post(*set_up_);
  if (begin_) post(*begin_);
  state_ = State::kStarting;
  front_begun_at_ = steady_clock::now();
  // The lost counters are read at once, before the next candidate can end this worker, too.
  const std::vector<const protocol::Count*> lost = counters_.lost_counts();
  for (const protocol::Count* message : lost) ask_for(*message);
  if (!lost.empty()) {
    post(protocol::CloseCounters{});
    ++conversation_.closings;
  }
  for (const protocol::Evaluate& message : in_flight_) ask_for(message);
}

void GpuLink::ask_for(const protocol::Message& message) {
  ++conversation_.asked;
  conversation_.judged = 0;
  post(message);
}

void GpuLink::end() {
  end_reason_ = process_.end();
  counters_.note_worker_ended();
  state_ = State::kDown;
}

bool GpuLink::wait_until_ready() {
  while (!is_ready()) {
    if (is_cancelled()) return false;
    wake();
    pollfd polled{process_.channel().descriptor(),
                  static_cast<short>(has_unsent() ? POLLIN | POLLOUT : POLLIN), 0};
    ::poll(&polled, 1, 100);
    early_ = collect();
  }
  return true;
}

void GpuLink::evaluate(protocol::Evaluate message) {
  if (in_flight_.empty()) front_begun_at_ = steady_clock::now();
  // This neither waits nor checks for errors: the worker may hang, and `collect` notices if it has ended.
  if (state_ != State::kDown) ask_for(message);
  in_flight_.push_back(std::move(message));
}

void GpuLink::fail_front(Status status, const std::string& reason,
                         std::vector<evaluation::EvaluationEvent>& events) {
  if (in_flight_.empty()) return;
  model::Measurement measurement;
  measurement.configuration = in_flight_.front().configuration;
  measurement.status = status;
  measurement.reason = processes::with_printed(reason, process_.printed());
  events.emplace_back(evaluation::MeasurementEvent{in_flight_.front().id, std::move(measurement)});
  in_flight_.pop_front();
  front_is_begun_ = false;
}

// The limit of the evaluation that the worker has begun. Its other work, such as opening a profiler session,
// gets the maximum.
std::chrono::milliseconds GpuLink::deadline() const {
  if (!front_is_begun_) return std::max(limit_.maximum, limit_.asked.value_or(limit_.maximum));
  const double incumbent_ns = in_flight_.front().incumbent_ns;
  const double best_ns = incumbent_ns > 0.0 && best_ns_ > 0.0 ? std::min(incumbent_ns, best_ns_)
                                                              : std::max(incumbent_ns, best_ns_);
  return limit_.of(best_ns, prepare_ ? prepare_->measuring : profiling::MeasuringOptions());
}

std::vector<evaluation::EvaluationEvent> GpuLink::collect() {
  // A worker is not started in the call that saw the last one end. Starting may throw, and the event of that
  // end must not be lost.
  if (state_ == State::kDown && !is_idle()) restart();
  std::vector<evaluation::EvaluationEvent> events = std::exchange(early_, {});
  if (state_ == State::kDown) return events;
  const bool open = take_messages(events);
  if (reported_) return events;
  const auto since_front = steady_clock::now() - front_begun_at_;
  if (state_ == State::kStarting) {
    if (open && since_front <= kSetUpTimeout) return events;
    end();
    throw base::MachineError("the GPU worker ended while it set up the GPU: " + end_reason_,
                             "look with nvidia-smi whether another program uses the GPU");
  }
  const std::chrono::milliseconds limit = deadline();
  const bool late = (counters_.is_counting() || !in_flight_.empty()) && since_front > limit;
  if (!context_lost_ && open && !late) return events;
  if (late) process_.kill();
  const bool was_counting = !front_is_begun_ && counters_.is_counting();
  end();
  // If counting again ended the worker, the evaluation that waits behind the count is not to blame. If the
  // worker reported a lost context, it had already sent the result of the evaluation that caused this.
  if (was_counting || context_lost_) return events;
  if (!open) {
    fail_front(Status::kWorkerDied, fmt::format("the GPU worker ended: {}", end_reason_), events);
  } else {
    fail_front(Status::kTimedOut,
               fmt::format("the evaluation took more than {:.3g} s; raise this limit with --timeout SECONDS",
                           static_cast<double>(limit.count()) / 1e3),
               events);
  }
  return events;
}

std::vector<std::string> GpuLink::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace warptune::tuner::workers
