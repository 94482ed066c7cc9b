#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "profiling/gpu.h"
#include "tuner/detail/worker_process.h"
#include "tuner/evaluator.h"

namespace warptune::tuner::detail {

/// What a GPU worker is set up with; kept so that a replacement gets the same.
struct GpuSetUp {
  std::string kernel;  ///< Path of the definition.
  search::NamedValues problem;
  search::GpuDescription gpu;
  int ordinal = 0;
  std::uint64_t seed = 1;
  bool count = true;
  std::optional<kernel_templates::CompiledKernel> reference;
};

/// The coordinator's end of one GPU worker. Keeps up to two evaluations with it, so that the GPU never waits
/// for a message.
class GpuLink {
 public:
  /// Starts the worker and sets the GPU up. Throws what the worker reports.
  GpuLink(GpuSetUp set_up, std::chrono::seconds deadline);

  bool can_take() const { return in_flight_.size() < kMostInFlight; }
  std::size_t in_flight() const { return in_flight_.size(); }
  void evaluate(Candidate candidate, const kernel_templates::CompiledKernel& compiled, double incumbent_ns);
  /// Events since the last call, without waiting. Replaces a worker that died or hangs: the evaluation it was
  /// at ends with the reason, the one behind it starts again.
  std::vector<EvaluationEvent> collect();
  /// Counters not given yet; none when the worker is gone.
  std::vector<CounterEvent> close_counters();
  /// Samples of finalists; empty when the worker ended at it.
  std::vector<std::vector<double>> interleave(const std::vector<search::NamedValues>& configurations,
                                              const std::vector<kernel_templates::CompiledKernel>& compiled,
                                              int rounds);
  /// What to poll; -1 (which poll skips) while there is no worker and nothing for one to do.
  int descriptor() { return down_ && in_flight_.empty() ? -1 : process_.channel().descriptor(); }
  /// Whether `collect` has something to send once the descriptor is writable.
  bool has_unsent() { return process_.channel().has_unsent(); }
  const search::Roofs& roofs() const { return roofs_; }
  const search::Environment& environment() const { return environment_; }
  const std::string& counter_problem() const { return counter_problem_; }

 private:
  static constexpr std::size_t kMostInFlight = 2;
  struct Flight {
    Candidate candidate;
    nlohmann::json message;
  };

  void start();
  void restart();
  void blame_front(search::Status status, const std::string& reason, std::vector<EvaluationEvent>& events);
  void take(const nlohmann::json& message, std::vector<EvaluationEvent>& events);
  std::optional<nlohmann::json> ask(const nlohmann::json& message, const char* expected);

  GpuSetUp set_up_;
  std::chrono::seconds deadline_;
  WorkerProcess process_;
  bool down_ = false;  ///< The worker has ended; the next call that needs one starts another.
  std::string how_ended_;
  std::deque<Flight> in_flight_;
  std::chrono::steady_clock::time_point front_since_;
  search::Roofs roofs_;
  search::Environment environment_;
  std::string counter_problem_;
};

/// GPUs by a short-lived GPU worker.
profiling::GpuCensus take_census();

}  // namespace warptune::tuner::detail
