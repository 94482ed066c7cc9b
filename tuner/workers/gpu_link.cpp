#include "tuner/workers/gpu_link.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"

namespace warptune::tuner::workers {

using model::Status;
using std::chrono::steady_clock;

namespace {

// Setting up fills buffers of gigabytes and runs a reference that may be slow.
constexpr std::chrono::milliseconds kSetUpTimeout{180000};

// Beside what it was asked for: greetings, roofs, warnings.
constexpr std::size_t kFreeMessages = 200;
constexpr std::size_t kMessagesOfOne = 8;
constexpr std::size_t kMostReasonBytes = 65536;
constexpr const char* kTimingTheBest = "timing the best once more";

bool was_launched(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

}  // namespace

GpuLink::GpuLink(int ordinal, session::EvaluationLimit limit)
    : GpuLink(ordinal, limit, WorkerProcess(fmt::format("gpu {}", ordinal))) {}

GpuLink::GpuLink(int ordinal, session::EvaluationLimit limit, WorkerProcess process)
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
  process_ = WorkerProcess(fmt::format("gpu {}", ordinal_));
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

void GpuLink::note_roofs(std::vector<model::RoofReading> readings) {
  roofs_ = model::roofs_of(readings, prepare_->gpu);
  has_roofs_ = has_roofs_ || !readings.empty();
  // A replacement measures nothing again.
  if (prepare_->roofs.empty()) prepare_->roofs = new_roofs_ = std::move(readings);
}

void GpuLink::take(protocol::Ready& message, std::vector<session::EvaluationEvent>&) {
  if (state_ != State::kStarting || !begin_) return distrust("that it is ready, unasked");
  conversation_.has_roofs = !message.roofs.empty();
  note_roofs(std::move(message.roofs));
  environment_ = std::move(message.environment);
  state_ = State::kReady;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Begun& message, std::vector<session::EvaluationEvent>&) {
  if (state_ != State::kReady || begun_ || in_flight_.empty() || in_flight_.front().id != message.id)
    return distrust("that it begins with what it was not given");
  begun_ = true;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Evaluated& message, std::vector<session::EvaluationEvent>& events) {
  if (!begun_ || in_flight_.front().id != message.id)
    return distrust("an evaluation of what it was not given");
  model::Measurement& measurement = message.measurement;
  measurement.configuration = in_flight_.front().configuration;
  if (measurement.reason.size() > kMostReasonBytes) measurement.reason.resize(kMostReasonBytes);
  const double median_ns = measurement.time.median_ns;
  const bool has_time =
      measurement.status == Status::kMeasured && std::isfinite(median_ns) && median_ns > 0.0;
  if (has_time && (best_ns_ == 0.0 || median_ns < best_ns_)) best_ns_ = median_ns;
  protocol::Evaluate evaluated = std::move(in_flight_.front());
  in_flight_.pop_front();
  evaluated_.insert(evaluated.id);
  begun_ = false;
  if (!message.counting) {
    counters_.clear();  // Nothing will come for them.
  } else if (was_launched(measurement.status)) {
    counters_.await({evaluated.id, std::move(evaluated.configuration), std::move(evaluated.compiled)},
                    median_ns);
  }
  events.emplace_back(session::MeasurementEvent{message.id, std::move(measurement)});
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::ContextLost&, std::vector<session::EvaluationEvent>&) { context_lost_ = true; }

void GpuLink::take(protocol::Counted& message, std::vector<session::EvaluationEvent>&) {
  if (!counters_.note_counted(message.id)) return distrust("a count that it was not asked for");
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::CountersRead& message, std::vector<session::EvaluationEvent>& events) {
  if (message.closed && conversation_.closings == 0) return distrust("that counters are closed, unasked");
  if (message.closed) --conversation_.closings;
  for (protocol::CounterValues& values : message.values) {
    if (!evaluated_.contains(values.id)) return distrust("counters of what it did not evaluate");
    const protocol::Count* const again = values.disturbed ? counters_.take_again(values.id) : nullptr;
    if (again != nullptr) {
      ask_for(*again);
      continue;
    }
    counters_.settle(values.id);
    events.emplace_back(session::CounterEvent{values.id, std::move(values.counters)});
  }
  if (!begun_) front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::RoofsMeasured& message, std::vector<session::EvaluationEvent>&) {
  if (std::exchange(conversation_.has_roofs, true)) return distrust("roofs that were known");
  note_roofs(std::move(message.readings));
  if (!begun_) front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Warning& message, std::vector<session::EvaluationEvent>&) {
  if (message.text.size() > kMostReasonBytes) message.text.resize(kMostReasonBytes);
  warnings_.push_back(std::move(message.text));
}

void GpuLink::take(protocol::Failure& message, std::vector<session::EvaluationEvent>&) {
  protocol::throw_failure(message);
}

template <class Other>
void GpuLink::take(Other&, std::vector<session::EvaluationEvent>&) {
  distrust(fmt::format("'{}' unasked", Other::kName));
}

// One message that came, if all before it were in order.
void GpuLink::take_any(protocol::Message& message, std::vector<session::EvaluationEvent>& events) {
  if (++conversation_.received > kFreeMessages + kMessagesOfOne * conversation_.asked)
    return distrust(fmt::format("{} messages, which nobody asked for", conversation_.received));
  std::visit([&](auto& held) { take(held, events); }, message);
}

void GpuLink::blame_front(Status status, const std::string& reason,
                          std::vector<session::EvaluationEvent>& events) {
  if (in_flight_.empty()) return;
  model::Measurement measurement;
  measurement.configuration = in_flight_.front().configuration;
  measurement.status = status;
  measurement.reason = with_printed(reason, process_.printed());
  events.emplace_back(session::MeasurementEvent{in_flight_.front().id, std::move(measurement)});
  in_flight_.pop_front();
  begun_ = false;
}

// Whether the worker is still there. A failure that it reports is thrown once the events before it were
// given.
bool GpuLink::take_messages(std::vector<session::EvaluationEvent>& events) {
  const bool open = process_.channel().drain();
  if (reported_) std::rethrow_exception(std::exchange(reported_, nullptr));
  while (process_.problem().empty()) {
    std::optional<protocol::Message> message = process_.channel().next();
    if (!message) break;
    try {
      take_any(*message, events);
    } catch (const base::Error&) {
      if (events.empty()) throw;
      reported_ = std::current_exception();
      return true;
    }
  }
  return open && process_.problem().empty();
}

// Of an evaluation that the worker is at; of all else that it does, such as opening a profiler session, the
// longest.
std::chrono::milliseconds GpuLink::deadline() const {
  if (!begun_) return std::max(limit_.most, limit_.asked.value_or(limit_.most));
  const double incumbent_ns = in_flight_.front().incumbent_ns;
  const double best_ns = incumbent_ns > 0.0 && best_ns_ > 0.0 ? std::min(incumbent_ns, best_ns_)
                                                              : std::max(incumbent_ns, best_ns_);
  return limit_.of(best_ns, prepare_ ? prepare_->measuring : profiling::MeasuringOptions());
}

std::vector<session::EvaluationEvent> GpuLink::collect() {
  // Not where it ended: starting another may throw, and the event of the one that ended must not be lost.
  if (state_ == State::kDown && !is_idle()) restart();
  std::vector<session::EvaluationEvent> events = std::exchange(early_, {});
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

namespace {
bool is_closed(const protocol::CountersRead& read) { return read.closed; }
template <class Other>
bool is_closed(const Other&) {
  return true;
}
}  // namespace

// The answer to a message, with the events that came before it. Nothing when the worker ended or did not
// answer; then it is down.
template <class Answer>
std::optional<Answer> GpuLink::ask(const protocol::Message& message,
                                   std::vector<session::EvaluationEvent>& events) {
  wait_until_ready();
  const auto give_up = steady_clock::now() + kSetUpTimeout;
  ask_for(message);
  while (process_.problem().empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(give_up - steady_clock::now());
    std::optional<protocol::Message> reply =
        process_.channel().receive(static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (!reply) break;
    if (auto* answer = std::get_if<Answer>(&*reply)) {
      if constexpr (!std::is_same_v<Answer, protocol::CountersRead>) return std::move(*answer);
      const bool closed = is_closed(*answer);
      take_any(*reply, events);
      if (closed && conversation_.closings == 0 && process_.problem().empty()) return Answer{};
    } else {
      take_any(*reply, events);
    }
  }
  if (steady_clock::now() >= give_up) process_.kill();
  end();
  return std::nullopt;
}

std::vector<session::CounterEvent> GpuLink::close_counters() {
  std::vector<session::EvaluationEvent> events;
  if (state_ == State::kDown && counters_.empty()) return {};
  // Again where the worker ended at it, or where a count was disturbed: then some are counted once more.
  do {
    wait_until_ready();
    ++conversation_.closings;
    if (ask<protocol::CountersRead>(protocol::CloseCounters{}, events)) continue;
    warnings_.push_back("the GPU worker ended while reading counters: " + how_ended_);
  } while (counters_.is_counting() || (state_ == State::kDown && !counters_.empty()));
  for (session::EvaluationEvent& event : events) early_.push_back(std::move(event));
  std::vector<session::CounterEvent> counters;
  for (session::EvaluationEvent& event : std::exchange(early_, {})) {
    if (auto* counted = std::get_if<session::CounterEvent>(&event)) {
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

std::vector<profiling::timing::FinalistTiming> GpuLink::interleave(protocol::Interleave message) {
  const std::size_t finalists = message.finalists.size();
  auto answer = ask_of_finalists<protocol::Interleaved>(std::move(message), kTimingTheBest);
  if (!answer) return {};
  if (answer->timings.size() == finalists) return std::move(answer->timings);
  distrust("times of other finalists");
  process_.kill();
  end();
  warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", kTimingTheBest, how_ended_));
  return {};
}

std::optional<profiling::timing::Confirmation> GpuLink::confirm(protocol::Confirm message) {
  auto answer = ask_of_finalists<protocol::Confirmed>(std::move(message), "confirming the best");
  return answer ? std::optional(std::move(answer->confirmation)) : std::nullopt;
}

std::vector<std::string> GpuLink::take_warnings() { return std::exchange(warnings_, {}); }

}  // namespace warptune::tuner::workers
