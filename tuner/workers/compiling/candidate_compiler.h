// Compiles the candidates of a session, and the reference of its definition.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/error.h"
#include "kernel_templates/kernel_instance.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/protocol/messages.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::workers::compiling {

struct CompiledCandidate {
  evaluation::Candidate candidate;
  kernel_templates::CompiledKernel compiled;
};

/// The results since the last call.
struct CompiledSoFar {
  std::vector<CompiledCandidate> candidates;
  std::vector<evaluation::EvaluationEvent> rejected;
  /// The reference of `[check]`; given once.
  std::optional<kernel_templates::CompiledKernel> reference;
};

/// The event of a candidate that is rejected before a GPU sees it.
evaluation::MeasurementEvent rejected(const evaluation::Candidate& candidate,
                                      const model::Rejection& rejection);

/// Compiles the candidates of one kernel instance, after its reference. The instance must outlive this
/// object.
class CandidateCompiler {
 public:
  /// Begins to compile the reference. Throws `base::InputError` when it cannot be rendered.
  CandidateCompiler(const kernel_templates::KernelInstance& instance, std::size_t workers,
                    std::chrono::seconds deadline, const std::filesystem::path& cache);

  /// Begins to compile a candidate. Returns the reason if it is rejected before that.
  std::optional<model::Rejection> submit(const evaluation::Candidate& candidate);
  /// Collects the results so far, without waiting. Throws `base::InputError` when the reference does not
  /// compile.
  CompiledSoFar collect();
  /// Compiles finalists and waits for them. Empty when one of them does not compile, or when it is cancelled.
  /// Call it only when nothing else is being compiled.
  std::vector<protocol::Finalist> compile_finalists(const std::vector<model::NamedValues>& configurations,
                                                    const base::Cancellation& cancellation);
  /// Forgets the candidates that no worker has begun to compile.
  void drop_waiting();

  std::size_t pending() const { return compiling_.size(); }
  std::size_t workers() const { return pool_.workers(); }
  bool has_results() const { return pool_.has_results(); }
  std::vector<int> descriptors() const { return pool_.descriptors(); }
  std::vector<std::string> take_warnings() { return pool_.take_warnings(); }

 private:
  base::InputError reference_error(const std::string& problem) const;

  const kernel_templates::KernelInstance& instance_;
  CompilePool pool_;
  std::map<std::uint64_t, evaluation::Candidate> compiling_;
};

}  // namespace warptune::tuner::workers::compiling
