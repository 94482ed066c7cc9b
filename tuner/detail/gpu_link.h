#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "profiling/gpu.h"
#include "profiling/roofs.h"
#include "tuner/detail/worker_process.h"
#include "tuner/evaluator.h"

namespace warptune::tuner::detail {

/// What a GPU worker is set up with; kept so that a replacement gets the same.
struct GpuSetUp {
  std::string kernel;  ///< Path of the definition.
  search::NamedValues problem;
  search::GpuDescription gpu;
  std::uint64_t seed = 1;
  search::CacheState cache = search::CacheState::kCold;
  bool count = true;
  std::vector<std::string> metrics;  ///< Empty: the core set.
  bool thorough = false;
  bool measure_energy = false;
  bool measure_error = false;
  std::filesystem::path compile_cache;     ///< For the kernels that check; empty: none.
  std::vector<search::RoofReading> roofs;  ///< Of the GPU; empty: the worker measures them.
  std::optional<kernel_templates::CompiledKernel> reference;
};

/// The coordinator's end of one GPU worker. Keeps up to two evaluations with it, so that the GPU never waits
/// for a message. Starting and setting up go on beside what the coordinator does meanwhile.
class GpuLink {
 public:
  /// Starts the worker, which loads the driver.
  GpuLink(int ordinal, std::chrono::seconds deadline);
  /// Takes a worker that has done so already.
  GpuLink(int ordinal, std::chrono::seconds deadline, WorkerProcess process);

  /// Sends what to set up; once.
  void set_up(GpuSetUp set_up);
  /// Waits until the GPU is set up. Throws what the worker reports, `base::MachineError` when it ends
  /// instead.
  void wait_until_ready();
  bool is_ready() const { return state_ == State::kReady; }
  /// Starts another worker where the last is gone.
  void wake() {
    if (state_ == State::kDown) restart();
  }
  int ordinal() const { return ordinal_; }

  /// Also while its worker is gone: an evaluation brings another.
  bool can_take() const { return state_ != State::kStarting && in_flight_.size() < kMostInFlight; }
  std::size_t in_flight() const { return in_flight_.size(); }
  void evaluate(Candidate candidate, const kernel_templates::CompiledKernel& compiled, double incumbent_ns);
  /// Events since the last call, without waiting. Replaces a worker that died or hangs: the evaluation it was
  /// at ends with the reason, the one behind it starts again, and measured ones whose counters went with it
  /// are counted again, once. Throws as `wait_until_ready`.
  std::vector<EvaluationEvent> collect();
  /// Counters not given yet; none when the worker is gone.
  std::vector<CounterEvent> close_counters();
  /// Samples of finalists; empty when the worker ended at it.
  std::vector<std::vector<double>> interleave(const std::vector<search::NamedValues>& configurations,
                                              const std::vector<kernel_templates::CompiledKernel>& compiled,
                                              int rounds);
  /// An evaluation that a worker has, as it was sent.
  struct Flight {
    Candidate candidate;
    nlohmann::json message;
  };
  /// Evaluations of a GPU that dropped out, for another to take.
  std::deque<Flight> take_back() { return std::move(in_flight_); }
  void evaluate(Flight flight);

  /// What to poll; -1 (which poll skips) while there is no worker and nothing for one to do.
  int descriptor() { return state_ == State::kDown && idle() ? -1 : process_.channel().descriptor(); }
  /// Whether `collect` has something to send once the descriptor is writable.
  bool has_unsent() { return process_.channel().has_unsent(); }
  /// Of the GPU, once it is ready.
  const search::Roofs& roofs() const { return roofs_; }
  /// What the worker measured, where it was set up without roofs.
  const std::vector<search::RoofReading>& new_roofs() const { return new_roofs_; }
  const search::Environment& environment() const { return environment_; }
  /// The least median that this GPU has measured, ns; 0 for none.
  double best_ns() const { return best_ns_; }
  /// Lines for people since the last call.
  std::vector<std::string> take_warnings();

 private:
  static constexpr std::size_t kMostInFlight = 2;
  enum class State { kStarting, kReady, kDown };

  bool idle() const { return in_flight_.empty(); }
  void send_set_up(bool replacement);
  void restart();
  void take_ready(const nlohmann::json& message);
  void take(const nlohmann::json& message, std::vector<EvaluationEvent>& events);
  void take_readings(const nlohmann::json& message, std::vector<CounterEvent>& events);
  void end();
  void blame_front(search::Status status, const std::string& reason, std::vector<EvaluationEvent>& events);
  std::optional<nlohmann::json> ask(const nlohmann::json& message, const char* expected,
                                    std::vector<CounterEvent>& readings);

  int ordinal_;
  GpuSetUp set_up_;
  std::chrono::seconds deadline_;
  WorkerProcess process_;
  State state_ = State::kStarting;
  std::string how_ended_;
  std::deque<Flight> in_flight_;
  std::map<std::uint64_t, nlohmann::json> uncounted_;  ///< Measured, their counters outstanding: as sent.
  std::set<std::uint64_t> counted_again_;
  std::size_t counting_ = 0;  ///< Of them, sent and not yet counted.
  std::chrono::steady_clock::time_point front_since_;
  double best_ns_ = 0.0;
  std::exception_ptr reported_;         ///< Of the worker, to be thrown once the events before it were given.
  std::vector<EvaluationEvent> early_;  ///< Came while something else was waited for.
  search::Roofs roofs_;
  std::vector<search::RoofReading> new_roofs_;
  search::Environment environment_;
  std::vector<std::string> warnings_;
};

/// GPUs by a GPU worker. It stays, its driver loaded, for the first link to take (`take_spare_worker`).
profiling::GpuCensus take_census();
std::optional<WorkerProcess> take_spare_worker();
/// What a GPU reaches, measured by a worker of its own. Throws what the worker reports, `base::MachineError`
/// when it ends instead.
profiling::RoofSurvey take_roof_survey(const search::GpuDescription& gpu, int ordinal,
                                       const std::filesystem::path& compile_cache);

}  // namespace warptune::tuner::detail
