#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/evaluation/evaluation_limit.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/processes/worker_process.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/outstanding_counters.h"

namespace warptune::tuner::workers {

// In three sources by what they do: gpu_link.cpp, the states; gpu_link_messages.cpp, what the worker says on
// its own; gpu_link_answers.cpp, what is asked of it and waited for.

/// The coordinator's end of one GPU worker.
///
/// The worker is started, then told step by step what to do: `prepare`, `set_up`, `begin`. Once it answers
/// that it is ready it gets up to two evaluations at a time, so that the GPU never waits for a message. A
/// worker that died or hangs is replaced, and the replacement is told the same steps; what it is told is kept
/// for that. Nothing here waits for the worker unless it says so.
///
///     starting --Ready--> ready --died, hung, context lost--> down --something to do--> starting
///
/// The worker runs a stranger's kernels, so that what it says is believed only where it was asked for: an
/// answer to what is in flight and begun, the next count, counters of what it evaluated, roofs once, and not
/// many more messages than it was asked for. One that sends anything else has died.
class GpuLink {
 public:
  /// Starts the worker.
  GpuLink(int ordinal, evaluation::EvaluationLimit limit);
  /// Takes a worker that listed the GPUs: it has loaded the driver already.
  GpuLink(int ordinal, evaluation::EvaluationLimit limit, processes::WorkerProcess process);

  /// The steps, each once and in this order. `ordinal` and `replacement` of the messages are filled in.
  void prepare(protocol::PrepareGpu message);
  void set_up(protocol::SetUp message);
  void begin(protocol::Begin message);

  /// Waits until the worker is ready. Throws what it reports, `base::MachineError` when it ends instead.
  void wait_until_ready();
  bool is_ready() const { return state_ == State::kReady; }
  /// Starts another worker where the last is gone.
  void wake() {
    if (state_ == State::kDown) restart();
  }
  int ordinal() const { return ordinal_; }

  /// Also while its worker is gone: an evaluation brings another.
  bool can_take() const { return state_ != State::kStarting && in_flight_.size() < kMaxInFlight; }
  /// Evaluations whose measurement `collect` has not given.
  std::size_t in_flight() const { return in_flight_.size() + evaluation::count_measurements(early_); }
  void evaluate(protocol::Evaluate message);
  /// Events since the last call, without waiting. Replaces a worker that died or hangs: the evaluation it was
  /// at ends with the reason, the one behind it starts again, and measured ones whose counters went with it
  /// are counted again. Throws as `wait_until_ready`.
  std::vector<evaluation::EvaluationEvent> collect();
  /// Waits for the counters not given yet; none when the worker is gone.
  std::vector<evaluation::CounterEvent> close_counters();
  /// Waits for samples of finalists; empty when the worker ended at it.
  std::vector<profiling::timing::FinalistTiming> interleave(protocol::Interleave message);
  /// Nothing when the worker ended at it.
  std::optional<profiling::timing::Confirmation> confirm(protocol::Confirm message);
  /// The worker ends once it is done with what it is at; the destructor waits for that.
  void ask_to_end() { process_.ask_to_end(); }
  /// Evaluations of a GPU that dropped out, for another to take.
  std::deque<protocol::Evaluate> take_back() { return std::move(in_flight_); }

  /// What to poll; -1 (which poll skips) while there is no worker and nothing for one to do.
  int descriptor() { return state_ == State::kDown && is_idle() ? -1 : process_.channel().descriptor(); }
  /// Whether `collect` has something to send once the descriptor is writable.
  bool has_unsent() { return process_.channel().has_unsent(); }
  /// Of the GPU, once it is ready; what is not known is measured after the first evaluation.
  const model::Roofs& roofs() const { return roofs_; }
  bool has_roofs() const { return has_roofs_; }
  /// What the worker measured, where it was prepared without roofs.
  const std::vector<model::RoofReading>& new_roofs() const { return new_roofs_; }
  const model::Environment& environment() const { return environment_; }
  /// The least median that this GPU has measured, ns; 0 for none.
  double best_ns() const { return best_ns_; }
  void forget_best() { best_ns_ = 0.0; }
  /// Lines for people since the last call.
  std::vector<std::string> take_warnings();

 private:
  static constexpr std::size_t kMaxInFlight = 2;
  // Setting up fills buffers of gigabytes and runs a reference that may be slow.
  static constexpr std::chrono::milliseconds kSetUpTimeout{180000};
  enum class State { kStarting, kReady, kDown };
  /// With one worker.
  struct Conversation {
    std::size_t asked = 0;     ///< Messages sent that ask for something.
    std::size_t received = 0;  ///< Messages of the worker.
    std::size_t closings = 0;  ///< `CloseCounters` not answered.
    bool has_roofs = false;    ///< It has told roofs.
  };

  void note_roofs(std::vector<model::RoofReading> readings);
  bool is_idle() const { return in_flight_.empty(); }
  void post(const protocol::Message& message) { process_.channel().post(message); }
  void restart();
  void end();
  std::chrono::milliseconds deadline() const;
  void ask_for(const protocol::Message& message);
  void distrust(const std::string& what) { process_.distrust(what); }
  void take_any(protocol::Message& message, std::vector<evaluation::EvaluationEvent>& events);
  void blame_front(model::Status status, const std::string& reason,
                   std::vector<evaluation::EvaluationEvent>& events);
  bool take_messages(std::vector<evaluation::EvaluationEvent>& events);

  // One a message that a worker sends on its own.
  void take(protocol::Ready& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::Begun& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::Evaluated& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::ContextLost& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::Counted& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::CountersRead& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::RoofsMeasured& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::Warning& message, std::vector<evaluation::EvaluationEvent>& events);
  void take(protocol::Failure& message, std::vector<evaluation::EvaluationEvent>& events);
  template <class Other>
  void take(Other& message, std::vector<evaluation::EvaluationEvent>& events);

  template <class Answer>
  std::optional<Answer> ask_of_finalists(const protocol::Message& message, const char* doing);
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
  std::string how_ended_;
  std::deque<protocol::Evaluate> in_flight_;
  bool begun_ = false;  ///< The worker has begun with the first in flight.
  OutstandingCounters counters_;
  std::set<std::uint64_t> evaluated_;
  Conversation conversation_;
  bool context_lost_ = false;
  std::chrono::steady_clock::time_point front_since_ = std::chrono::steady_clock::now();
  double best_ns_ = 0.0;
  std::exception_ptr reported_;  ///< Of the worker, to be thrown once the events before it were given.
  std::vector<evaluation::EvaluationEvent> early_;  ///< Came while something else was waited for.
  model::Roofs roofs_;
  bool has_roofs_ = false;
  std::vector<model::RoofReading> new_roofs_;
  model::Environment environment_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers
