// The GPUs of a session: compiled candidates are handed to them, and one that drops out is left out.
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

/// What the GPUs of a model say of themselves. It stays known when their workers are replaced.
struct KnownModel {
  model::Roofs roofs;
  std::vector<model::RoofReading> new_roofs;
  model::Environment environment;
  bool has_roofs = false;  ///< They may come later.
};

/// GPUs of one model, each with its worker. What one that drops out had at hand goes to the others.
class GpuTeam {
 public:
  /// Starts the workers, or takes that of `local_gpus` for the first, and has them prepare and set up.
  GpuTeam(const kernel_templates::KernelInstance& instance, const ProcessEvaluatorOptions& options,
          gpus::LocalGpus* local_gpus);

  /// The last step before evaluations, for each.
  void begin(const std::optional<kernel_templates::CompiledKernel>& reference);
  void ask_to_end();
  std::size_t size() const { return gpus_.size(); }

  /// To be evaluated once a GPU can take it.
  void add(compiling::CompiledCandidate candidate) { compiled_.push_back(std::move(candidate)); }
  /// Gives each GPU what it can take.
  void feed();
  void drop_waiting() { compiled_.clear(); }
  /// Evaluations whose measurement was not given, those that wait for a GPU included.
  std::size_t pending() const;

  /// Whether evaluations race against the best of their GPU.
  void set_racing(bool racing) { racing_ = racing; }
  void forget_best();

  /// Adds what happened, without waiting. Throws what the last GPU reports; another drops out.
  void collect(std::vector<evaluation::EvaluationEvent>& events);
  /// Waits for the counters not given yet.
  std::vector<evaluation::CounterEvent> close_counters();

  /// The first that is set up, or null.
  GpuLink* first_ready() const;
  /// Starts the workers of those that are down.
  void wake();
  /// Whether what a GPU reports is no reason for the others to end.
  bool can_go_on_without(const base::Error& error) const;
  void drop_out(const GpuLink& gpu, const std::string& why);

  /// Looks whether a GPU knows by now what `known` says.
  void note_ready();
  /// Nothing before the first is set up.
  const std::optional<KnownModel>& known() const { return known_; }
  void add_descriptors(std::vector<pollfd>& polled) const;
  /// Lines for people since the last call.
  std::vector<std::string> take_warnings();

 private:
  GpuLink* free_gpu() const;
  void drop_out(std::size_t i, const std::string& why);

  std::vector<std::unique_ptr<GpuLink>> gpus_;
  std::deque<compiling::CompiledCandidate> compiled_;
  std::deque<protocol::Evaluate> taken_back_;  ///< Of GPUs that dropped out.
  bool racing_ = false;
  std::optional<KnownModel> known_;
  std::vector<std::string> warnings_;
};

}  // namespace warptune::tuner::workers
