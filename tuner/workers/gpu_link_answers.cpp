// Questions to a GPU worker whose answers the coordinator awaits: counters, the times of finalists, a
// confirmation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "db/confirmation.h"
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

// Why times of finalists are not believed. Empty if they are.
std::string why_distrusted(const protocol::Interleaved& answer, std::size_t finalists, int rounds) {
  if (answer.timings.size() != finalists) return "a number of timings that is not the number of finalists";
  for (const profiling::timing::FinalistTiming& timing : answer.timings) {
    if (timing.fault && timing.fault->status == model::Status::kMeasured)
      return "a fault whose status is that of a right result";
    if (!timing.fault && timing.samples_ns.size() != static_cast<std::size_t>(std::max(rounds, 0)))
      return "a number of times that is not the number of rounds";
    if (!std::ranges::all_of(timing.samples_ns, [](double ns) { return std::isfinite(ns) && ns > 0.0; }))
      return "a time that is not a positive number";
  }
  return "";
}

bool is_closed(const protocol::CountersRead& read) { return read.closed; }
template <class Other>
bool is_closed(const Other&) {
  return true;
}
}  // namespace

// Waits for one message, until `give_up_`. Returns std::nullopt when there is none: the worker has ended or
// is late, or the finals were cancelled.
std::optional<protocol::Message> GpuLink::receive_answer() {
  while (true) {
    const auto now = steady_clock::now();
    const auto end =
        finals_.is_open ? std::min(give_up_, now + evaluation::Evaluator::kPollInterval) : give_up_;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - now);
    std::optional<protocol::Message> reply =
        process_.channel().receive(static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    // `receive` rounds to whole milliseconds, so it may return slightly before `end`. If it returns earlier,
    // the worker has ended.
    const bool is_early = steady_clock::now() + std::chrono::milliseconds(2) < end;
    if (reply || is_early || end == give_up_ || is_cancelled()) return reply;
  }
}

// Sends a message and waits for its answer. Events that arrive before the answer are added to `events`.
// Returns std::nullopt when the worker ended or did not answer in time. The link is then down. Also returns
// std::nullopt when it is cancelled.
template <class Answer>
std::optional<Answer> GpuLink::ask(const protocol::Message& message,
                                   std::vector<evaluation::EvaluationEvent>& events) {
  if (!wait_until_ready()) return std::nullopt;
  give_up_ = steady_clock::now() + kSetUpTimeout;
  judging_ = {};
  ask_for(message);
  while (process_.problem().empty()) {
    std::optional<protocol::Message> reply = receive_answer();
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
  const auto now = steady_clock::now() + std::chrono::milliseconds(2);
  finals_.is_late = process_.problem().empty() && now >= give_up_;
  if (finals_.is_late || (finals_.is_open && is_cancelled())) process_.kill();
  end();
  return std::nullopt;
}

std::vector<evaluation::CounterEvent> GpuLink::close_counters() {
  std::vector<evaluation::EvaluationEvent> events;
  if (state_ == State::kDown && counters_.empty()) return {};
  // This is repeated if the worker ended meanwhile or a count was disturbed: some rows are then counted
  // again.
  do {
    if (!wait_until_ready()) break;
    ++conversation_.closings;
    // Who cancels a session in its first seconds does not want to wait until the profiler is open.
    if (ask<protocol::CountersRead>(protocol::CloseCounters{!is_cancelled()}, events)) continue;
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
  finals_ = {};
  if (!wait_until_ready()) return answer;
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
  if (!answer && !is_cancelled())
    warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", doing, end_reason_));
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
    const std::string wrong = answer ? why_distrusted(*answer, left.size(), message.rounds) : "";
    if (answer && wrong.empty()) {
      for (std::size_t i = 0; i < left.size(); ++i) timings[left[i]] = std::move(answer->timings[i]);
      for (profiling::timing::FinalistTiming& timing : timings) {
        db::erase_confirmation(timing.errors);
        timing.bits = db::output_bits_in(timing.bits);
      }
      return timings;
    }
    if (answer) {
      distrust(wrong);
      process_.kill();
      end();
      warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", kTimingTheBest, end_reason_));
      return {};
    }
    if (is_cancelled() || !finals_.begun) return {};
    const auto last = left.begin() + static_cast<std::ptrdiff_t>(*finals_.begun);
    if (!finals_.is_late && ++ended_workers[*last] < kAttempts) continue;
    timings[*last].fault = fault_of_finalist(kTimingTheBest);
    left.erase(last);
  }
  return timings;
}

std::optional<profiling::timing::Confirmation> GpuLink::confirm(const protocol::Confirm& message) {
  for (int i = 0; i < kAttempts; ++i) {
    auto answer =
        ask_about_finalists<protocol::Confirmed>(message, {1, kMaxConfirmingLaunches}, kConfirmingTheBest);
    if (answer && answer->confirmation.launches <= finals_.launches) {
      db::erase_confirmation(answer->confirmation.errors);
      return std::move(answer->confirmation);
    }
    if (answer) {
      distrust("a confirmation of more launches than it has begun");
      process_.kill();
      end();
      warnings_.push_back(fmt::format("the GPU worker ended while {}: {}", kConfirmingTheBest, end_reason_));
    }
    if (is_cancelled()) return std::nullopt;
    if (finals_.is_late) break;
  }
  profiling::timing::Confirmation failed;
  failed.verdict = fault_of_finalist(kConfirmingTheBest);
  return failed;
}

}  // namespace warptune::tuner::workers
