// What a GPU worker says on its own, and what of it is believed: only what it was asked for. Anything else
// counts as its death.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

using model::Status;
using std::chrono::steady_clock;

namespace {

// Beside what it was asked for: greetings, roofs, warnings.
constexpr std::size_t kFreeMessages = 200;
constexpr std::size_t kMessagesOfOne = 8;
constexpr std::size_t kMaxReasonBytes = 65536;

bool was_launched(Status status) { return status == Status::kMeasured || status == Status::kDropped; }

}  // namespace

void GpuLink::note_roofs(std::vector<model::RoofReading> readings) {
  roofs_ = model::roofs_of(readings, prepare_->gpu);
  has_roofs_ = has_roofs_ || !readings.empty();
  // A replacement measures nothing again.
  if (prepare_->roofs.empty()) prepare_->roofs = new_roofs_ = std::move(readings);
}

void GpuLink::take(protocol::Ready& message, std::vector<evaluation::EvaluationEvent>&) {
  if (state_ != State::kStarting || !begin_) return distrust("that it is ready, unasked");
  conversation_.has_roofs = !message.roofs.empty();
  note_roofs(std::move(message.roofs));
  environment_ = std::move(message.environment);
  state_ = State::kReady;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Begun& message, std::vector<evaluation::EvaluationEvent>&) {
  if (state_ != State::kReady || begun_ || in_flight_.empty() || in_flight_.front().id != message.id)
    return distrust("that it begins with what it was not given");
  begun_ = true;
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Evaluated& message, std::vector<evaluation::EvaluationEvent>& events) {
  if (!begun_ || in_flight_.front().id != message.id)
    return distrust("an evaluation of what it was not given");
  model::Measurement& measurement = message.measurement;
  measurement.configuration = in_flight_.front().configuration;
  if (measurement.reason.size() > kMaxReasonBytes) measurement.reason.resize(kMaxReasonBytes);
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
  events.emplace_back(evaluation::MeasurementEvent{message.id, std::move(measurement)});
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::ContextLost&, std::vector<evaluation::EvaluationEvent>&) {
  context_lost_ = true;
}

void GpuLink::take(protocol::Counted& message, std::vector<evaluation::EvaluationEvent>&) {
  if (!counters_.note_counted(message.id)) return distrust("a count that it was not asked for");
  front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::CountersRead& message, std::vector<evaluation::EvaluationEvent>& events) {
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
    events.emplace_back(evaluation::CounterEvent{values.id, std::move(values.counters)});
  }
  if (!begun_) front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::RoofsMeasured& message, std::vector<evaluation::EvaluationEvent>&) {
  if (std::exchange(conversation_.has_roofs, true)) return distrust("roofs that were known");
  note_roofs(std::move(message.readings));
  if (!begun_) front_since_ = steady_clock::now();
}

void GpuLink::take(protocol::Warning& message, std::vector<evaluation::EvaluationEvent>&) {
  if (message.text.size() > kMaxReasonBytes) message.text.resize(kMaxReasonBytes);
  warnings_.push_back(std::move(message.text));
}

void GpuLink::take(protocol::Failure& message, std::vector<evaluation::EvaluationEvent>&) {
  protocol::throw_failure(message);
}

template <class Other>
void GpuLink::take(Other&, std::vector<evaluation::EvaluationEvent>&) {
  distrust(fmt::format("'{}' unasked", Other::kName));
}

// One message that came, if all before it were in order.
void GpuLink::take_any(protocol::Message& message, std::vector<evaluation::EvaluationEvent>& events) {
  if (++conversation_.received > kFreeMessages + kMessagesOfOne * conversation_.asked)
    return distrust(fmt::format("{} messages, which nobody asked for", conversation_.received));
  std::visit([&](auto& held) { take(held, events); }, message);
}

// Whether the worker is still there. A failure that it reports is thrown once the events before it were
// given.
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
