#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

namespace warptune::tuner::evaluation {

/// The machine of a simulated session. docs/replay.md has the sources of the times.
struct SimulatedMachineOptions {
  std::size_t compile_workers = 16;
  double set_up_s = 0.4;  ///< The GPU is ready after this time. Compiling begins at once.
  /// A profiler session counts this many evaluations. Closing it and opening the next takes `counting_s`.
  std::size_t counted_together = 256;
  double counting_s = 0.066;
};

/// One evaluation on a simulated machine.
struct SimulatedTask {
  std::uint64_t id = 0;
  double compile_s = 0.0;  ///< 0: the program is in the compile cache.
  double measure_s = 0.0;  ///< The time on the GPU worker.
  bool uses_gpu = true;    ///< False: it is rejected when it is compiled.
};

/// Compile workers and one GPU, simulated in time. This object owns the simulated clock.
///
/// It does what `workers::ProcessEvaluator` does with real workers. Programs are compiled in the order in
/// which they were submitted. Workers get programs, and the GPU gets compiled ones, only while the
/// coordinator calls this object: during `spend` it computes, and they only finish what they have. The GPU
/// has one evaluation, and a second one waits in its worker. Compiled programs go to the GPU in the order in
/// which they were compiled.
class SimulatedMachine {
 public:
  explicit SimulatedMachine(const SimulatedMachineOptions& options) : options_(options) {}

  double now_s() const { return now_s_; }
  bool is_ready() const { return now_s_ >= options_.set_up_s; }
  /// The coordinator computes for this time, s.
  void spend(double seconds) { advance_to(now_s_ + seconds); }
  void submit(const SimulatedTask& task);
  /// The ids of the tasks that have ended since the last call, in the order in which they ended. If none has,
  /// the clock first advances to the next moment at which a program is compiled, an evaluation ends or the
  /// GPU becomes ready. So the result may be empty.
  std::vector<std::uint64_t> wait();
  /// Forgets tasks that neither a compile worker nor the GPU's worker has.
  void drop_waiting();
  /// Tasks that were submitted and whose ids `wait` has not returned.
  std::size_t pending() const {
    return to_compile_.size() + compiling_.size() + compiled_.size() + on_gpu_.size() + ended_.size();
  }

 private:
  struct Running {
    SimulatedTask task;
    double end_s = 0.0;
  };

  void pass_on(const SimulatedTask& task);
  void hand_out();
  void begin_on_gpu();
  void advance_to(double moment_s);
  double next_end_s() const;

  SimulatedMachineOptions options_;
  double now_s_ = 0.0;
  std::deque<SimulatedTask> to_compile_;
  std::vector<Running> compiling_;
  std::deque<SimulatedTask> compiled_;
  std::deque<Running> on_gpu_;  // The first one runs. The others have no end yet.
  double gpu_free_s_ = 0.0;
  std::size_t counted_ = 0;  // Evaluations in the present profiler session.
  std::vector<std::uint64_t> ended_;
};

}  // namespace warptune::tuner::evaluation
