// Questions to a GPU worker whose answers the coordinator awaits: counters, the times of finalists, a
// confirmation.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "tuner/workers/gpu_link.h"

namespace warptune::tuner::workers {

using std::chrono::steady_clock;

namespace {

// A finalist that ends this many workers is at fault. A single worker may have ended for another reason.
constexpr int kAttempts = 2;
// A confirmation has a few hundred launches.
constexpr std::size_t kMaxConfirmingLaunches = 1000;
constexpr const char* kTimingTheBest = "timing the best once more";
constexpr const char* kConfirmingTheBest = "confirming the best";

bool is_closed(const protocol::CountersRead& read) { return read.closed; }
template <class Other>
bool is_closed(const Other&) {
  return true;
}
}  // namespace

// Sends a message and waits for its answer. Events that arrive before the answer are added to `events`.
// Returns std::nullopt when the worker ended or did not answer in time. The link is then down.
template <class Answer>
std::optional<Answer> GpuLink::ask(const protocol::Message& message,
                                   std::vector<evaluation::EvaluationEvent>& events) {
  wait_until_ready();
  give_up_ = steady_clock::now() + kSetUpTimeout;
  judging_ = {};
  ask_for(message);
  while (process_.problem().empty()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(give_up_ - steady_clock::now());
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
    give_up_ += std::exchange(judging_, {});
  }
  // `receive` rounds to whole milliseconds, so it may return slightly before `give_up_`.
  const auto now = steady_clock::now() + std::chrono::milliseconds(2);
  finals_.is_late = process_.problem().empty() && now >= give_up_;
  if (finals_.is_late) process_.kill();
  end();
  return std::nullopt;
}

std::vector<evaluation::CounterEvent> GpuLink::close_counters() {
  std::vector<evaluation::EvaluationEvent> events;
  if (state_ == State::kDown && counters_.empty()) return {};
  // This is repeated if the worker ended meanwhile or a count was disturbed: some rows are then counted
  // again.
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

// Sends a message about finalists and waits. Returns std::nullopt and adds a warning when the worker ended
// meanwhile. `finals_.begun` is then the finalist that it launched last.
template <class Answer>
std::optional<Answer> GpuLink::ask_about_finalists(const protocol::Message& message, FinalsQuestion question,
                                                   const char* doing) {
  std::optional<Answer> answer;
  wait_until_ready();
  finals_ = question;
  finals_.is_open = true;
  try {
    answer = ask<Answer>(message, early_);
  } catch (const base::Error& error) {
    finals_.is_open = false;
    if (!is_ready() || judge_failed_) throw;  // The GPU could not be set up, or the program ends the session.
    end();
    end_reason_ = error.what();  // The worker reported the fault of a finalist.
  }
  finals_.is_open = false;
  if (!answer) warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", doing, end_reason_));
  return answer;
}

std::chrono::milliseconds GpuLink::final_launch_limit() const {
  const double best_ns = finalist_best_ns_ > 0.0 ? finalist_best_ns_ : best_ns_;
  return limit_.of_final_launch(best_ns, finalist_slowest_ns_);
}

// Why the finalist that was launched last has failed.
model::Rejection GpuLink::fault_of_finalist(const char* doing) {
  const auto seconds = [](std::chrono::milliseconds limit) {
    return static_cast<double>(limit.count()) / 1e3;
  };
  model::Rejection fault;
  if (finals_.is_late && finals_.begun) {
    fault = {model::Status::kTimedOut,
             fmt::format("a launch took more than {:.3g} s while {}; raise this limit with --timeout SECONDS",
                         seconds(final_launch_limit()), doing)};
  } else if (finals_.is_late) {
    fault = {model::Status::kTimedOut,
             fmt::format("nothing was launched for {:.3g} s while {}", seconds(kSetUpTimeout), doing)};
  } else {
    fault = {model::Status::kWorkerDied,
             fmt::format("the GPU worker ended {} times while {}: {}", kAttempts, doing, end_reason_)};
  }
  fault.reason = processes::with_printed(fault.reason, process_.printed());
  return fault;
}

std::vector<profiling::timing::FinalistTiming> GpuLink::interleave(const protocol::Interleave& message) {
  std::vector<profiling::timing::FinalistTiming> timings(message.finalists.size());
  std::vector<int> ended_workers(message.finalists.size(), 0);  // By finalist.
  std::vector<std::size_t> left(message.finalists.size());
  std::iota(left.begin(), left.end(), std::size_t{0});
  while (!left.empty()) {
    protocol::Interleave question{{}, message.rounds};
    for (const std::size_t i : left) question.finalists.push_back(message.finalists[i]);
    const std::size_t launches = left.size() * (static_cast<std::size_t>(std::max(message.rounds, 0)) + 1);
    auto answer = ask_about_finalists<protocol::Interleaved>(std::move(question), {left.size(), launches},
                                                             kTimingTheBest);
    if (answer && answer->timings.size() == left.size()) {
      for (std::size_t i = 0; i < left.size(); ++i) timings[left[i]] = std::move(answer->timings[i]);
      return timings;
    }
    if (answer) {
      distrust("a number of timings that is not the number of finalists");
      process_.kill();
      end();
      warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", kTimingTheBest, end_reason_));
      return {};
    }
    if (!finals_.begun) return {};
    const auto last = left.begin() + static_cast<std::ptrdiff_t>(*finals_.begun);
    if (!finals_.is_late && ++ended_workers[*last] < kAttempts) continue;
    timings[*last].fault = fault_of_finalist(kTimingTheBest);
    left.erase(last);
  }
  return timings;
}

profiling::timing::Confirmation GpuLink::confirm(const protocol::Confirm& message) {
  for (int i = 0; i < kAttempts; ++i) {
    if (auto answer = ask_about_finalists<protocol::Confirmed>(message, {1, kMaxConfirmingLaunches},
                                                               kConfirmingTheBest))
      return std::move(answer->confirmation);
    if (finals_.is_late) break;
  }
  profiling::timing::Confirmation failed;
  failed.verdict = fault_of_finalist(kConfirmingTheBest);
  return failed;
}

}  // namespace warptune::tuner::workers
