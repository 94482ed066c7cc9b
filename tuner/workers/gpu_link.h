#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "tuner/evaluation/evaluation_limit.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/outstanding_counters.h"

namespace warptune::tuner::workers {

// `GpuLink` has three sources. gpu_link.cpp has the states. gpu_link_answers.cpp has the questions whose
// answers are awaited. gpu_link_messages.cpp handles all other messages of the worker.

/// The coordinator's end of one GPU worker.
///
/// The worker is started and then gets the steps `prepare`, `set_up` and `begin`. When it has answered that
/// it is ready, it gets up to two evaluations at a time, so that the GPU never waits for a message. A worker
/// that died or hangs is replaced. The link keeps the messages of the steps and sends them to the
/// replacement, too. A function waits for the worker only if its description says so.
///
///     starting --Ready--> ready --died, hung, context lost--> down --work to do--> starting
///
/// The worker runs kernels of untrusted authors. Its messages are therefore believed only if they answer a
/// request. It may send the result of the evaluation that it has begun, the count that it was asked for next,
/// counters of what it evaluated, and the roofs once. The number of messages is limited, too. A worker that
/// sends anything else is treated as dead.
class GpuLink {
 public:
  /// Starts the worker.
  GpuLink(int ordinal, evaluation::EvaluationLimit limit);
  /// Uses a worker that has listed the GPUs, because it has already loaded the driver.
  GpuLink(int ordinal, evaluation::EvaluationLimit limit, processes::WorkerProcess process);

  /// Says whether the results that the worker has written are right. Returns why they are wrong, or
  /// std::nullopt. It is called on the session's thread. Its time does not count as time of an evaluation.
  using Judge = std::function<std::optional<std::string>()>;
  void set_judge(Judge judge) { judge_ = std::move(judge); }

  /// Once `cancellation` is cancelled, the link neither waits for a worker that is not ready nor for an
  /// answer about finalists. The default is to wait. It must outlive the link.
  void set_cancellation(const base::Cancellation& cancellation) { cancellation_ = &cancellation; }

  /// The steps. Call each once, in this order. The link fills in `ordinal` and `replacement`.
  void prepare(protocol::PrepareGpu message);
  void set_up(protocol::SetUp message);
  void begin(protocol::Begin message);

  /// Waits until the worker is ready. Returns false if it is cancelled first. Throws the error that the
  /// worker reports, or `base::MachineError` if it ends.
  bool wait_until_ready();
  bool is_ready() const { return state_ == State::kReady; }
  /// Starts another worker if there is none.
  void wake() {
    if (state_ == State::kDown) restart();
  }
  int ordinal() const { return ordinal_; }

  /// Also true while there is no worker: an evaluation starts another one.
  bool can_take() const { return state_ != State::kStarting && in_flight_.size() < kMaxInFlight; }
  /// Evaluations whose measurement `collect` has not returned.
  std::size_t in_flight() const { return in_flight_.size() + evaluation::count_measurements(early_); }
  /// Sends an evaluation to the worker, after those in flight.
  void evaluate(protocol::Evaluate message);
  /// Returns the events since the last call, without waiting. Replaces a worker that died or hangs. The
  /// evaluation that it had begun ends with the reason. The next one in the queue starts again. Measured
  /// evaluations whose counters were lost are counted again. Throws as `wait_until_ready` does.
  std::vector<evaluation::EvaluationEvent> collect();
  /// Waits for the outstanding counters. Empty when there is no worker.
  std::vector<evaluation::CounterEvent> close_counters();
  /// Times that limit the launches of finalists, ns (`EvaluationLimit::of_final_launch`). 0: unknown.
  void set_finalist_times(double best_ns, double slowest_ns) {
    finalist_best_ns_ = best_ns;
    finalist_slowest_ns_ = slowest_ns;
  }
  /// Times finalists and waits for the samples. A finalist whose launch hangs has the fault `kTimedOut`. A
  /// finalist that ends two workers has `kWorkerDied`. The others are then timed without it. Empty when a
  /// worker ends before any launch, or when it is cancelled.
  std::vector<profiling::timing::FinalistTiming> interleave(const protocol::Interleave& message);
  /// Confirms a winner and waits for the answer. If a launch hangs, the verdict is `kTimedOut`. If the worker
  /// ends, another worker tries once more. If that one ends, too, the verdict is `kWorkerDied`. Returns
  /// std::nullopt when it is cancelled first.
  std::optional<profiling::timing::Confirmation> confirm(const protocol::Confirm& message);
  /// Asks the worker to end after its present work. The destructor waits for the end.
  void ask_to_end() { process_.ask_to_end(); }
  /// Returns the evaluations that a GPU no longer takes, so that another GPU takes them.
  std::deque<protocol::Evaluate> take_back() { return std::move(in_flight_); }

  /// The descriptor to poll. It is -1, which poll ignores, if there is neither a worker nor work.
  int descriptor() { return state_ == State::kDown && is_idle() ? -1 : process_.channel().descriptor(); }
  /// Whether `collect` has something to send when the descriptor is writable.
  bool has_unsent() { return process_.channel().has_unsent(); }
  /// The GPU's roofs, valid once it is ready. Unknown roofs are measured after the first evaluation.
  const model::Roofs& roofs() const { return roofs_; }
  bool has_roofs() const { return has_roofs_; }
  /// The roofs that the worker measured because it was prepared without any.
  const std::vector<model::RoofReading>& new_roofs() const { return new_roofs_; }
  const model::Environment& environment() const { return environment_; }
  /// The minimum of the medians that this GPU has measured, ns; 0: none.
  double best_ns() const { return best_ns_; }
  void forget_best() { best_ns_ = 0.0; }
  /// Warnings for people since the last call.
  std::vector<std::string> take_warnings();

 private:
  static constexpr std::size_t kMaxInFlight = 2;
  // Setting up fills buffers of gigabytes and runs a reference that may be slow.
  static constexpr std::chrono::milliseconds kSetUpTimeout{180000};
  enum class State { kStarting, kReady, kDown };
  /// A question about finalists that is being asked, or was asked last.
  struct FinalsQuestion {
    std::size_t finalists = 0;
    std::size_t max_launches = 0;  ///< A worker that reports more launches is distrusted.
    bool is_open = false;          ///< The answer is awaited.
    std::size_t launches = 0;
    std::optional<std::size_t> begun{};  ///< The finalist of the last launch.
    bool is_late = false;                ///< The worker was killed because it did not answer in time.
  };
  /// The exchange of messages with one worker.
  struct Conversation {
    std::size_t asked = 0;     ///< Messages sent that ask for something.
    std::size_t received = 0;  ///< Messages from the worker.
    std::size_t judged = 0;    ///< Calls of `judge_` since the last message that asks.
    std::size_t closings = 0;  ///< `CloseCounters` messages that are not answered.
    bool has_roofs = false;    ///< The worker has sent roofs.
  };

  bool is_cancelled() const { return cancellation_ != nullptr && cancellation_->is_cancelled(); }
  std::optional<protocol::Message> receive_answer();
  void note_roofs(std::vector<model::RoofReading> readings);
  bool is_idle() const { return in_flight_.empty(); }
  void post(const protocol::Message& message) { process_.channel().post(message); }
  void restart();
  void end();
  std::chrono::milliseconds deadline() const;
  void ask_for(const protocol::Message& message);
  void distrust(const std::string& what) { process_.distrust(what); }
  void take_any(protocol::Message& message, std::vector<evaluation::EvaluationEvent>& events);
  void fail_front(model::Status status, const std::string& reason,
                  std::vector<evaluation::EvaluationEvent>& events);
  bool take_messages(std::vector<evaluation::EvaluationEvent>& events);

  // One function for each message that is not an awaited answer.
  void handle(protocol::Ready& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::Begun& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::Evaluated& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::ContextLost& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::Counted& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::CountersRead& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::ResultsWritten& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::RoofsMeasured& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::Warning& message, std::vector<evaluation::EvaluationEvent>& events);
  void handle(protocol::Failure& message, std::vector<evaluation::EvaluationEvent>& events);
  template <class Other>
  void handle(Other& message, std::vector<evaluation::EvaluationEvent>& events);

  template <class Answer>
  std::optional<Answer> ask_about_finalists(const protocol::Message& message, FinalsQuestion question,
                                            const char* doing);
  std::chrono::milliseconds final_launch_limit() const;
  model::Rejection fault_of_finalist(const char* doing);
  template <class Answer>
  std::optional<Answer> ask(const protocol::Message& message,
                            std::vector<evaluation::EvaluationEvent>& events);

  int ordinal_;
  evaluation::EvaluationLimit limit_;
  processes::WorkerProcess process_;
  State state_ = State::kStarting;
  std::optional<protocol::PrepareGpu> prepare_;
  std::optional<protocol::SetUp> set_up_;
  std::optional<protocol::Begin> begin_;
  std::string end_reason_;
  std::deque<protocol::Evaluate> in_flight_;
  bool front_is_begun_ = false;  ///< The worker has begun with the first in flight.
  const base::Cancellation* cancellation_ = nullptr;
  Judge judge_;
  bool judge_failed_ = false;                      ///< `judge_` threw: the program ends the session.
  std::chrono::steady_clock::duration judging_{};  ///< The time that `judge_` took; no limit includes it.
  OutstandingCounters counters_;
  std::set<std::uint64_t> evaluated_;  ///< Ids whose counters the worker may send.
  Conversation conversation_;
  bool context_lost_ = false;
  /// When the worker began its present work. The limit of `deadline` counts from here.
  std::chrono::steady_clock::time_point front_begun_at_ = std::chrono::steady_clock::now();
  double best_ns_ = 0.0;
  std::exception_ptr reported_;  ///< The worker's error. It is thrown after the earlier events were returned.
  std::vector<evaluation::EvaluationEvent> early_;  ///< Events that arrived while something else was awaited.
  FinalsQuestion finals_;
  std::chrono::steady_clock::time_point give_up_;  ///< The deadline of the awaited answer.
  double finalist_best_ns_ = 0.0;
  double finalist_slowest_ns_ = 0.0;
  model::Roofs roofs_;
  bool has_roofs_ = false;
  std::vector<model::RoofReading> new_roofs_;
  model::Environment environment_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers
