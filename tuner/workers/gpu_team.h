// The GPUs of a session. They get the compiled candidates, and a GPU that fails drops out.
#pragma once

#include <poll.h>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/workers/compiling/candidate_compiler.h"
#include "tuner/workers/gpu_link.h"
#include "tuner/workers/process_evaluator.h"

namespace warptune::tuner::workers {

/// What the GPUs of a model report about themselves. It stays known when their workers are replaced.
struct KnownModel {
  model::Roofs roofs;
  std::vector<model::RoofReading> new_roofs;
  model::Environment environment;
  bool has_roofs = false;  ///< False: they may arrive later.
};

/// GPUs of one model, each with its worker. If one drops out, the others take its evaluations.
class GpuTeam {
 public:
  /// Starts the workers, prepares them and sets them up. The first GPU uses the worker of `local_gpus` if
  /// there is one.
  GpuTeam(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options,
          gpus::LocalGpus* local_gpus);

  /// Sends the message `Begin` to each worker. After it, a worker is ready for evaluations.
  void begin(const std::optional<kernel_templates::CompiledKernel>& reference);
  /// See `GpuLink::ask_to_end`.
  void ask_to_end();
  std::size_t size() const { return gpus_.size(); }

  /// Queues a candidate until a GPU can take it.
  void add(compiling::CompiledCandidate candidate) { compiled_.push_back(std::move(candidate)); }
  /// Gives waiting candidates to the GPUs that can take one.
  void feed();
  void drop_waiting() { compiled_.clear(); }
  /// Evaluations whose measurement has not been returned. Those that wait for a GPU are included.
  std::size_t pending() const;

  /// Whether evaluations race against the best time of their GPU.
  void set_racing(bool racing) { racing_ = racing; }
  /// Makes every GPU forget its best time, so that the next evaluations race against later ones.
  void forget_best();
  /// See `GpuLink::set_finalist_times`.
  void set_finalist_times(double best_ns, double slowest_ns);

  /// Appends the events since the last call, without waiting. A GPU that fails because of the machine drops
  /// out, unless it is the last one. All other errors are thrown.
  void collect(std::vector<evaluation::EvaluationEvent>& events);
  /// Waits for the outstanding counters.
  std::vector<evaluation::CounterEvent> close_counters();

  /// The first GPU that is set up, or null.
  GpuLink* first_ready() const;
  /// Starts workers for the GPUs that have none.
  void wake();
  /// Whether the other GPUs can continue after this error of a GPU.
  bool can_go_on_without(const base::Error& error) const;
  void drop_out(const GpuLink& gpu, const std::string& why);

  /// Stores what the GPUs report about themselves, as soon as one is ready.
  void note_ready();
  /// Returns std::nullopt before the first GPU is set up.
  const std::optional<KnownModel>& known() const { return known_; }
  void add_descriptors(std::vector<pollfd>& polled) const;
  /// Warnings for people since the last call.
  std::vector<std::string> take_warnings();

 private:
  GpuLink* free_gpu() const;
  void drop_out(std::size_t i, const std::string& why);

  std::vector<std::unique_ptr<GpuLink>> gpus_;
  std::deque<compiling::CompiledCandidate> compiled_;
  std::deque<protocol::Evaluate> released_;  ///< Evaluations that a GPU had not finished when it dropped out.
  bool racing_ = false;
  std::optional<KnownModel> known_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers
