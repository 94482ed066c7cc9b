// Takes a session's candidates from `submit` to the compiled program. They are screened and given to the
// pool. The pool's results have the ids of the candidates. A result of a candidate that was dropped meanwhile
// is ignored.
#include "tuner/workers/compiling/candidate_compiler.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"

namespace warptune::tuner::workers::compiling {

namespace {

// The reference's id in the compile pool. No candidate has this number.
constexpr std::uint64_t kReferenceId = ~std::uint64_t{0};

}  // namespace

evaluation::MeasurementEvent rejected(const evaluation::Candidate& candidate,
                                      const model::Rejection& rejection) {
  evaluation::MeasurementEvent event;
  event.id = candidate.id;
  event.measurement.configuration = candidate.configuration;
  event.measurement.status = rejection.status;
  event.measurement.reason = rejection.reason;
  return event;
}

CandidateCompiler::CandidateCompiler(const kernel_templates::KernelInstance& instance, std::size_t workers,
                                     std::chrono::seconds deadline, const std::filesystem::path& cache)
    : instance_(instance), pool_(workers, deadline, cache, 0, identity_of(instance.definition())) {
  if (!instance_.compiles_reference()) return;
  model::Outcome<kernel_templates::CompileRequest> request = instance_.reference_request();
  if (!request) throw reference_error(": " + request.error().reason);
  pool_.submit(kReferenceId, std::move(*request));
}

base::InputError CandidateCompiler::reference_error(const std::string& problem) const {
  return base::InputError("the reference of [check]" + problem, {instance_.definition().path.string(), 0, 0});
}

std::optional<model::Rejection> CandidateCompiler::submit(const evaluation::Candidate& candidate) {
  const model::Outcome<kernel_templates::LaunchPlan> plan = instance_.screened_plan(candidate.configuration);
  if (!plan) return plan.error();
  model::Outcome<kernel_templates::CompileRequest> request =
      instance_.compile_request(candidate.configuration);
  if (!request) return request.error();
  compiling_.emplace(candidate.id, candidate);
  pool_.submit(candidate.id, std::move(*request));
  return std::nullopt;
}

CompiledSoFar CandidateCompiler::collect() {
  CompiledSoFar compiled;
  for (CompileResult& result : pool_.collect()) {
    if (result.id == kReferenceId) {
      if (!result.outcome) throw reference_error(" does not compile:\n" + result.outcome.error().reason);
      base::log_debug("the reference is compiled");
      compiled.reference = std::move(*result.outcome);
      continue;
    }
    const auto found = compiling_.find(result.id);
    if (found == compiling_.end()) continue;  // The candidate was dropped meanwhile.
    evaluation::Candidate candidate = std::move(found->second);
    compiling_.erase(found);
    base::log_debug(fmt::format("candidate {} is compiled", candidate.id));
    if (result.outcome) {
      compiled.candidates.push_back({std::move(candidate), std::move(*result.outcome)});
    } else {
      compiled.rejected.emplace_back(rejected(candidate, result.outcome.error()));
    }
  }
  return compiled;
}

std::vector<protocol::Finalist> CandidateCompiler::compile_finalists(
    const std::vector<model::NamedValues>& configurations, const base::Cancellation& cancellation) {
  std::vector<kernel_templates::CompileRequest> requests;
  for (const model::NamedValues& configuration : configurations) {
    model::Outcome<kernel_templates::CompileRequest> request = instance_.compile_request(configuration);
    if (!request) return {};
    requests.push_back(std::move(*request));
  }
  std::vector<model::Outcome<kernel_templates::CompiledKernel>> outcomes;
  try {
    outcomes = pool_.compile_all(std::move(requests), cancellation);
  } catch (const base::WorkError&) {
    if (!cancellation.is_cancelled()) throw;
    return {};
  }
  std::vector<protocol::Finalist> finalists;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i]) return {};
    finalists.push_back({configurations[i], std::move(*outcomes[i])});
  }
  return finalists;
}

void CandidateCompiler::drop_waiting() {
  pool_.drop_waiting();
  compiling_.clear();
}

}  // namespace warptune::tuner::workers::compiling
