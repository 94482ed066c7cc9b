#include "tuner/detail/gpu_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <utility>
#include <variant>

#include "base/error.h"

namespace warptune::tuner::detail {

using search::Status;
using std::chrono::steady_clock;

namespace {

// Setting up fills buffers of gigabytes and runs a reference that may be slow.
constexpr std::chrono::milliseconds kSetUpTimeout{180000};

bool was_launched(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

}  // namespace

GpuLink::GpuLink(int ordinal, std::chrono::seconds deadline)
    : GpuLink(ordinal, deadline, WorkerProcess("gpu", fmt::format("gpu {}", ordinal))) {}

GpuLink::GpuLink(int ordinal, std::chrono::seconds deadline, WorkerProcess process)
    : ordinal_(ordinal), deadline_(deadline), process_(std::move(process)) {}

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
  process_ = WorkerProcess("gpu", fmt::format("gpu {}", ordinal_));
  context_lost_ = false;
  if (prepare_) post(*prepare_);
  if (set_up_) post(*set_up_);
  if (begin_) post(*begin_);
  state_ = State::kStarting;
  front_since_ = steady_clock::now();
  counting_ = 0;
  std::erase_if(uncounted_, [&](const auto& row) { return counted_again_.contains(row.first); });
  for (const auto& [id, message] : uncounted_) count_again(id);
  for (const protocol::Evaluate& message : in_flight_) post(message);
}

void GpuLink::count_again(std::uint64_t id) {
  counted_again_.insert(id);
  post(uncounted_.at(id));
  ++counting_;
}

void GpuLink::end() {
  how_ended_ = process_.end();
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
  if (state_ != State::kDown) post(message);
  in_flight_.push_back(std::move(message));
}

void GpuLink::note_roofs(std::vector<search::RoofReading> readings) {
  roofs_ = search::roofs_of(readings, prepare_->gpu);
  has_roofs_ = has_roofs_ || !readings.empty();
  // A replacement measures nothing again.
  if (prepare_->roofs.empty()) prepare_->roofs = new_roofs_ = std::move(readings);
}

void GpuLink::take(protocol::Ready& message, std::vector<EvaluationEvent>&) {
  note_roofs(std::move(message.roofs));
  environment_ = std::move(message.environment);
  state_ = State::kReady;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Evaluated& message, std::vector<EvaluationEvent>& events) {
  if (in_flight_.empty() || in_flight_.front().id != message.id)
    throw base::InternalError(fmt::format("GPU {} evaluated what it was not given", ordinal_));
  const search::Measurement& measurement = message.measurement;
  const double median_ns = measurement.time.median_ns;
  if (measurement.status == Status::kMeasured && (best_ns_ == 0.0 || median_ns < best_ns_))
    best_ns_ = median_ns;
  protocol::Evaluate evaluated = std::move(in_flight_.front());
  in_flight_.pop_front();
  if (!message.counting) {
    uncounted_.clear();  // Nothing will come for them.
  } else if (was_launched(measurement.status)) {
    uncounted_[evaluated.id] = {evaluated.id, std::move(evaluated.configuration),
                                std::move(evaluated.compiled)};
  }
  events.emplace_back(MeasurementEvent{message.id, std::move(message.measurement)});
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::ContextLost&, std::vector<EvaluationEvent>&) { context_lost_ = true; }

void GpuLink::take(protocol::Counted&, std::vector<EvaluationEvent>&) {
  if (counting_ > 0) --counting_;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::CountersRead& message, std::vector<EvaluationEvent>& events) {
  for (protocol::CounterValues& values : message.values) {
    const auto sent = uncounted_.find(values.id);
    if (values.disturbed && sent != uncounted_.end() && !counted_again_.contains(values.id)) {
      count_again(values.id);
      continue;
    }
    if (sent != uncounted_.end()) uncounted_.erase(sent);
    events.emplace_back(CounterEvent{values.id, std::move(values.counters)});
  }
}

void GpuLink::take(protocol::RoofsMeasured& message, std::vector<EvaluationEvent>&) {
  note_roofs(std::move(message.readings));
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Warning& message, std::vector<EvaluationEvent>&) {
  warnings_.push_back(std::move(message.text));
}

void GpuLink::take(protocol::Failure& message, std::vector<EvaluationEvent>&) {
  protocol::throw_failure(message);
}

template <class Other>
void GpuLink::take(Other&, std::vector<EvaluationEvent>&) {
  throw base::InternalError(fmt::format("GPU {}'s worker sent '{}' unasked", ordinal_, Other::kName));
}

void GpuLink::blame_front(Status status, const std::string& reason, std::vector<EvaluationEvent>& events) {
  if (in_flight_.empty()) return;
  search::Measurement measurement;
  measurement.configuration = in_flight_.front().configuration;
  measurement.status = status;
  measurement.reason = reason;
  events.emplace_back(MeasurementEvent{in_flight_.front().id, std::move(measurement)});
  in_flight_.pop_front();
}

// Whether the worker is still there. A failure that it reports is thrown once the events before it were
// given.
bool GpuLink::take_messages(std::vector<EvaluationEvent>& events) {
  const bool open = process_.channel().drain();
  if (reported_) std::rethrow_exception(std::exchange(reported_, nullptr));
  while (std::optional<protocol::Message> message = process_.channel().next()) {
    try {
      std::visit([&](auto& held) { take(held, events); }, *message);
    } catch (const base::Error&) {
      if (events.empty()) throw;
      reported_ = std::current_exception();
      return true;
    }
  }
  return open && process_.channel().problem().empty();
}

std::vector<EvaluationEvent> GpuLink::collect() {
  // Not where it ended: starting another may throw, and the event of the one that ended must not be lost.
  if (state_ == State::kDown && !is_idle()) restart();
  std::vector<EvaluationEvent> events = std::exchange(early_, {});
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
  const bool late = (counting_ > 0 || !in_flight_.empty()) && since_front > deadline_;
  if (!context_lost_ && open && !late) return events;
  end();
  if (std::exchange(counting_, 0) > 0) {  // Counting once more did it, not the evaluation behind.
    std::erase_if(uncounted_, [&](const auto& row) { return counted_again_.contains(row.first); });
    return events;
  }
  if (context_lost_) return events;  // It reported the fault and ends by itself: nothing more is to blame.
  if (!open) {
    blame_front(Status::kWorkerDied, fmt::format("the GPU worker ended: {}", how_ended_), events);
  } else {
    blame_front(Status::kTimedOut, fmt::format("the evaluation took more than {} s", deadline_.count()),
                events);
  }
  return events;
}

// The answer to a message, with the events that came before it. Nothing when the worker ended or did not
// answer; then it is down.
template <class Answer>
std::optional<Answer> GpuLink::ask(const protocol::Message& message, std::vector<EvaluationEvent>& events) {
  wait_until_ready();
  if (process_.channel().send(message)) {
    while (std::optional<protocol::Message> reply =
               process_.channel().receive(static_cast<int>(kSetUpTimeout.count()))) {
      if (auto* answer = std::get_if<Answer>(&*reply)) {
        if constexpr (std::is_same_v<Answer, protocol::CountersRead>) {
          take(*answer, events);
          if (!answer->closed) continue;
        }
        return std::move(*answer);
      }
      std::visit([&](auto& held) { take(held, events); }, *reply);
    }
  }
  end();
  return std::nullopt;
}

std::vector<CounterEvent> GpuLink::close_counters() {
  std::vector<EvaluationEvent> events;
  if (state_ == State::kDown && uncounted_.empty()) return {};
  // Again where the worker ended at it, or where a count was disturbed: then some are counted once more.
  do {
    if (ask<protocol::CountersRead>(protocol::CloseCounters{}, events)) continue;
    warnings_.push_back("the GPU worker ended while reading counters: " + how_ended_);
    if (counting_ > 0) uncounted_.clear();
    counting_ = 0;
  } while (counting_ > 0 || (state_ == State::kDown && !uncounted_.empty()));
  for (EvaluationEvent& event : events) early_.push_back(std::move(event));
  std::vector<CounterEvent> counters;
  for (EvaluationEvent& event : std::exchange(early_, {})) {
    if (auto* counted = std::get_if<CounterEvent>(&event)) {
      counters.push_back(std::move(*counted));
    } else {
      early_.push_back(std::move(event));
    }
  }
  return counters;
}

// Asks for what finalists are launched for: nothing where the worker ended at it, which is told.
template <class Answer>
std::optional<Answer> GpuLink::ask_of_finalists(const protocol::Message& message, const char* doing) {
  std::optional<Answer> answer;
  try {
    answer = ask<Answer>(message, early_);
  } catch (const base::Error& error) {
    if (!is_ready()) throw;  // It could not be set up.
    end();
    how_ended_ = error.what();  // A finalist's fault, reported.
  }
  if (!answer) warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", doing, how_ended_));
  return answer;
}

std::vector<profiling::FinalistTiming> GpuLink::interleave(protocol::Interleave message) {
  auto answer = ask_of_finalists<protocol::Interleaved>(std::move(message), "timing the best once more");
  return answer ? std::move(answer->timings) : std::vector<profiling::FinalistTiming>();
}

std::optional<profiling::Confirmation> GpuLink::confirm(protocol::Confirm message) {
  auto answer = ask_of_finalists<protocol::Confirmed>(std::move(message), "confirming the best");
  return answer ? std::optional(std::move(answer->confirmation)) : std::nullopt;
}

std::vector<std::string> GpuLink::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace warptune::tuner::detail
