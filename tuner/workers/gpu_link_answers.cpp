// Questions to a GPU worker whose answers the coordinator awaits: counters, the times of finalists, a
// confirmation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

using std::chrono::steady_clock;

namespace {

constexpr int kConfirmAttempts = 2;
constexpr const char* kTimingTheBest = "timing the best once more";

bool is_closed(const protocol::CountersRead& read) { return read.closed; }
template <class Other>
bool is_closed(const Other&) {
  return true;
}
}  // namespace

// Sends a message and waits for its answer. Events that arrive before the answer are added to `events`.
// Returns std::nullopt when the worker ended or did not answer in time; then it is down.
template <class Answer>
std::optional<Answer> GpuLink::ask(const protocol::Message& message,
                                   std::vector<evaluation::EvaluationEvent>& events) {
  wait_until_ready();
  auto give_up = steady_clock::now() + kSetUpTimeout;
  judging_ = {};
  ask_for(message);
  while (process_.problem().empty()) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(give_up - steady_clock::now());
    std::optional<protocol::Message> reply =
        process_.channel().receive(static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (!reply) break;
    // Counters also arrive without being asked for. So only those that answer the last `CloseCounters` end
    // the wait. `take_any` stores them, and the answer that is returned is empty.
    if (auto* answer = std::get_if<Answer>(&*reply)) {
      if constexpr (!std::is_same_v<Answer, protocol::CountersRead>) return std::move(*answer);
      const bool closed = is_closed(*answer);
      take_any(*reply, events);
      if (closed && conversation_.closings == 0 && process_.problem().empty()) return Answer{};
    } else {
      take_any(*reply, events);
    }
    give_up += std::exchange(judging_, {});
  }
  if (steady_clock::now() >= give_up) process_.kill();
  end();
  return std::nullopt;
}

std::vector<evaluation::CounterEvent> GpuLink::close_counters() {
  std::vector<evaluation::EvaluationEvent> events;
  if (state_ == State::kDown && counters_.empty()) return {};
  // Repeated if the worker ended meanwhile or a count was disturbed, because some rows are then counted once
  // more.
  do {
    wait_until_ready();
    ++conversation_.closings;
    if (ask<protocol::CountersRead>(protocol::CloseCounters{}, events)) continue;
    warnings_.push_back("the GPU worker ended while reading counters: " + end_reason_);
  } while (counters_.is_counting() || (state_ == State::kDown && !counters_.empty()));
  for (evaluation::EvaluationEvent& event : events) early_.push_back(std::move(event));
  std::vector<evaluation::CounterEvent> counters;
  for (evaluation::EvaluationEvent& event : std::exchange(early_, {})) {
    if (auto* counted = std::get_if<evaluation::CounterEvent>(&event)) {
      counters.push_back(std::move(*counted));
    } else {
      early_.push_back(std::move(event));
    }
  }
  return counters;
}

// Sends a message about finalists and waits. Returns std::nullopt when the worker ended meanwhile, and warns
// about it.
template <class Answer>
std::optional<Answer> GpuLink::ask_about_finalists(const protocol::Message& message, const char* doing) {
  std::optional<Answer> answer;
  try {
    answer = ask<Answer>(message, early_);
  } catch (const base::Error& error) {
    if (!is_ready() || judge_failed_) throw;  // The GPU could not be set up, or the program ends the session.
    end();
    end_reason_ = error.what();  // The worker reported the fault of a finalist.
  }
  if (!answer) warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", doing, end_reason_));
  return answer;
}

std::vector<profiling::timing::FinalistTiming> GpuLink::interleave(protocol::Interleave message) {
  const std::size_t finalists = message.finalists.size();
  auto answer = ask_about_finalists<protocol::Interleaved>(std::move(message), kTimingTheBest);
  if (!answer) return {};
  if (answer->timings.size() == finalists) return std::move(answer->timings);
  distrust("a number of timings that is not the number of finalists");
  process_.kill();
  end();
  warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", kTimingTheBest, end_reason_));
  return {};
}

profiling::timing::Confirmation GpuLink::confirm(const protocol::Confirm& message) {
  for (int i = 0; i < kConfirmAttempts; ++i) {
    if (auto answer = ask_about_finalists<protocol::Confirmed>(message, "confirming the best"))
      return std::move(answer->confirmation);
  }
  profiling::timing::Confirmation failed;
  failed.verdict = {model::Status::kWorkerDied,
                    fmt::format("the GPU worker ended {} times while it confirmed the configuration: {}",
                                kConfirmAttempts, end_reason_)};
  return failed;
}

}  // namespace warptune::tuner::workers
