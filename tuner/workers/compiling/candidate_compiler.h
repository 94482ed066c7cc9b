// Candidates of a session from submitted to compiled, and its reference.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

/// What was compiled since the last time.
struct CompiledSoFar {
  std::vector<CompiledCandidate> candidates;
  std::vector<evaluation::EvaluationEvent> rejected;
  /// The reference of [check], once.
  std::optional<kernel_templates::CompiledKernel> reference;
};

/// The row of a candidate that no GPU gets.
evaluation::MeasurementEvent rejected(const evaluation::Candidate& candidate,
                                      const model::Rejection& rejection);

/// Has the candidates of one kernel instance compiled, and its reference before them. The instance must
/// outlive it.
class CandidateCompiler {
 public:
  /// Begins with the reference. Throws `base::InputError` where it cannot be rendered.
  CandidateCompiler(const kernel_templates::KernelInstance& instance, std::size_t workers,
                    std::chrono::seconds deadline, const std::filesystem::path& cache);

  /// What rejects a candidate before it is compiled, or nothing: then it is being compiled.
  std::optional<model::Rejection> submit(const evaluation::Candidate& candidate);
  /// Without waiting. Throws `base::InputError` where the reference does not compile.
  CompiledSoFar collect();
  /// Compiles finalists and waits for them; empty where one of them does not compile. To be called once
  /// nothing else is being compiled.
  std::vector<protocol::Finalist> compile_finalists(const std::vector<model::NamedValues>& configurations);
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
