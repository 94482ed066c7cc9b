// Handles each message that a GPU worker sends, except the answers that gpu_link_answers.cpp awaits. A
// message is believed only if it answers a request. A worker that sends any other message is treated as dead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "db/confirmation.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

using model::Status;
using std::chrono::steady_clock;

namespace {

// How many messages a worker may send without a request: greetings, roofs, warnings.
constexpr std::size_t kFreeMessages = 200;
constexpr std::size_t kMessagesPerRequest = 8;
// Confirming the best takes the most launches, a few hundred.
constexpr std::size_t kMaxJudgedPerRequest = 1000;
constexpr std::size_t kMaxReasonBytes = 65536;

bool was_launched(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

}  // namespace

void GpuLink::note_roofs(std::vector<model::RoofReading> readings) {
  roofs_ = model::roofs_of(readings, prepare_->gpu);
  has_roofs_ = has_roofs_ || !readings.empty();
  // A replacement does not measure the roofs again.
  if (prepare_->roofs.empty()) prepare_->roofs = new_roofs_ = std::move(readings);
}

void GpuLink::handle(protocol::Ready& message, std::vector<evaluation::EvaluationEvent>&) {
  if (state_ != State::kStarting || !begin_)
    return distrust("the message that it is ready, without a request");
  conversation_.has_roofs = !message.roofs.empty();
  note_roofs(std::move(message.roofs));
  environment_ = std::move(message.environment);
  state_ = State::kReady;
  front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::Begun& message, std::vector<evaluation::EvaluationEvent>&) {
  if (finals_.is_open) {
    if (message.id >= finals_.finalists || ++finals_.launches > finals_.max_launches)
      return distrust("the message that it launches a finalist, without a request");
    finals_.begun = message.id;
    --conversation_.received;  // `max_launches` limits these messages instead.
    give_up_ = steady_clock::now() + final_launch_limit();
    judging_ = {};
    return;
  }
  if (state_ != State::kReady || front_is_begun_ || in_flight_.empty() || in_flight_.front().id != message.id)
    return distrust("the message that it begins an evaluation that it was not given");
  front_is_begun_ = true;
  front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::Evaluated& message, std::vector<evaluation::EvaluationEvent>& events) {
  if (!front_is_begun_ || in_flight_.front().id != message.id)
    return distrust("the result of an evaluation that it has not begun");
  model::Measurement& measurement = message.measurement;
  measurement.configuration = in_flight_.front().configuration;
  if (measurement.reason.size() > kMaxReasonBytes) measurement.reason.resize(kMaxReasonBytes);
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  const bool is_measured = measurement.status == Status::kMeasured;
  if (is_measured && !(median_ns > 0.0 && std::isfinite(*median_ns)))
    return distrust("a time that is not a positive number");
  measurement.source = model::RowSource::kMeasured;
  db::erase_confirmation(measurement.counters);
  if (is_measured && (best_ns_ == 0.0 || *median_ns < best_ns_)) best_ns_ = *median_ns;
  protocol::Evaluate evaluated = std::move(in_flight_.front());
  in_flight_.pop_front();
  evaluated_.insert(evaluated.id);
  front_is_begun_ = false;
  if (!message.counting) {
    counters_.clear();  // No counters will arrive.
  } else if (message.counted && was_launched(measurement.status)) {
    counters_.await({evaluated.id, std::move(evaluated.configuration), std::move(evaluated.compiled)},
                    median_ns.value_or(std::numeric_limits<double>::infinity()));
  }
  events.emplace_back(evaluation::MeasurementEvent{message.id, std::move(measurement)});
  front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::ContextLost&, std::vector<evaluation::EvaluationEvent>&) {
  context_lost_ = true;
}

void GpuLink::handle(protocol::Counted& message, std::vector<evaluation::EvaluationEvent>&) {
  if (!counters_.note_counted(message.id)) return distrust("a count without a request");
  front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::CountersRead& message, std::vector<evaluation::EvaluationEvent>& events) {
  if (message.closed && conversation_.closings == 0)
    return distrust("the message that its counters are closed, without a request");
  if (message.closed) --conversation_.closings;
  for (protocol::CounterValues& values : message.values) {
    if (!evaluated_.contains(values.id)) return distrust("counters of an evaluation that it was not given");
    const protocol::Count* const again = values.disturbed ? counters_.take_again(values.id) : nullptr;
    if (again != nullptr) {
      ask_for(*again);
      continue;
    }
    counters_.settle(values.id);
    db::erase_confirmation(values.counters);
    events.emplace_back(evaluation::CounterEvent{values.id, std::move(values.counters)});
  }
  if (!front_is_begun_) front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::ResultsWritten&, std::vector<evaluation::EvaluationEvent>&) {
  if (!judge_ || state_ != State::kReady || ++conversation_.judged > kMaxJudgedPerRequest)
    return distrust("results without a request");
  const auto asked_at = steady_clock::now();
  judge_failed_ = true;  // It stays true if `judge_` throws.
  const std::optional<std::string> fault = judge_();
  judge_failed_ = false;
  ++conversation_.asked;
  post(protocol::Judged{!fault, fault.value_or("")});
  const auto taken = steady_clock::now() - asked_at;
  front_begun_at_ += taken;
  judging_ += taken;
}

void GpuLink::handle(protocol::RoofsMeasured& message, std::vector<evaluation::EvaluationEvent>&) {
  if (std::exchange(conversation_.has_roofs, true)) return distrust("roofs for a second time");
  note_roofs(std::move(message.readings));
  if (!front_is_begun_) front_begun_at_ = steady_clock::now();
}

void GpuLink::handle(protocol::Warning& message, std::vector<evaluation::EvaluationEvent>&) {
  if (message.text.size() > kMaxReasonBytes) message.text.resize(kMaxReasonBytes);
  warnings_.push_back(std::move(message.text));
}

void GpuLink::handle(protocol::Failure& message, std::vector<evaluation::EvaluationEvent>&) {
  protocol::throw_failure(message);
}

template <class Other>
void GpuLink::handle(Other&, std::vector<evaluation::EvaluationEvent>&) {
  distrust(fmt::format("'{}' unasked", Other::kName));
}

// Handles one message, unless the worker has sent far more messages than it was asked for.
void GpuLink::take_any(protocol::Message& message, std::vector<evaluation::EvaluationEvent>& events) {
  if (++conversation_.received > kFreeMessages + kMessagesPerRequest * conversation_.asked)
    return distrust(fmt::format("{} messages, many more than it was asked for", conversation_.received));
  std::visit([&](auto& held) { handle(held, events); }, message);
}

// Handles the messages that have arrived. Returns whether the worker can send more. A failure that it reports
// is thrown only after the events before it were returned.
bool GpuLink::take_messages(std::vector<evaluation::EvaluationEvent>& events) {
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

}  // namespace warptune::tuner::workers
