#include "library/tuning/tuning_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "base/text.h"
#include "library/include/warptune_tuning.h"
#include "model/measurement.h"
#include "model/value.h"

namespace warptune::library::tuning {

namespace session = tuner::session;

namespace {

constexpr double kLongestWait_s = 1e6;  // An infinite timeout would overflow the clock's counter.

}  // namespace

std::optional<TuningEvent> TuningEvents::converted(const session::SessionEvent& event) {
  TuningEvent result = progress_;  // Every event also has the numbers of the latest progress.
  if (const auto* progress = std::get_if<session::SessionProgress>(&event)) {
    result.kind = WARPTUNE_EVENT_PROGRESS;
    result.evaluated = progress->evaluated;
    result.elapsed_s = progress->elapsed_s;
    result.fraction = progress->fraction;
    result.best_median_ns =
        progress->best_time ? std::optional(progress->best_time->median_ns) : std::nullopt;
    result.configuration = model::to_text(progress->best);
    progress_ = result;
    return result;
  }
  if (const auto* stored = std::get_if<session::MeasurementStored>(&event)) {
    const model::Measurement& row = stored->measurement;
    result.kind = WARPTUNE_EVENT_MEASURED;
    result.configuration = model::to_text(row.configuration);
    if (row.status == model::Status::kMeasured) result.median_ns = model::median_ns_of(row);
    result.status = model::to_string(row.status);
    result.text = base::printable(row.reason);
    return result;
  }
  if (std::holds_alternative<session::FinalsBegan>(event)) {
    result.kind = WARPTUNE_EVENT_FINALS;
    return result;
  }
  const auto* warning = std::get_if<session::SessionWarning>(&event);
  const auto* imprecise = std::get_if<session::FinalistImprecise>(&event);
  if (warning == nullptr && imprecise == nullptr) return std::nullopt;
  result.kind = WARPTUNE_EVENT_WARNING;
  result.text = base::printable(warning != nullptr ? warning->text : imprecise->message());
  return result;
}

void TuningEvents::on_event(const session::SessionEvent& event) {
  if (std::optional<TuningEvent> one = converted(event)) add(std::move(*one));
}

void TuningEvents::add(TuningEvent event) {
  {
    const std::lock_guard lock(mutex_);
    const bool replaces = !waiting_.empty() && event.kind == WARPTUNE_EVENT_PROGRESS &&
                          waiting_.back().kind == WARPTUNE_EVENT_PROGRESS;
    if (replaces) waiting_.pop_back();
    if (waiting_.size() == kMaxKept) waiting_.pop_front();
    waiting_.push_back(std::move(event));
  }
  changed_.notify_one();
}

void TuningEvents::end() {
  {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
  }
  changed_.notify_all();
}

TuningEvent TuningEvents::next(double timeout_s) {
  std::unique_lock lock(mutex_);
  const auto may_return = [&] { return !waiting_.empty() || has_ended_; };
  if (timeout_s < 0.0) {
    changed_.wait(lock, may_return);
  } else if (!changed_.wait_for(lock, std::chrono::duration<double>(std::min(timeout_s, kLongestWait_s)),
                                may_return)) {
    return {};
  }
  if (waiting_.empty()) {
    TuningEvent ended = progress_;
    ended.kind = WARPTUNE_EVENT_ENDED;
    return ended;
  }
  TuningEvent event = std::move(waiting_.front());
  waiting_.pop_front();
  return event;
}

}  // namespace warptune::library::tuning
