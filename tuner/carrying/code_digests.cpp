#include "tuner/carrying/code_digests.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "kernel_templates/inspection/code_digest.h"

namespace warptune::tuner::carrying {

namespace {

using kernel_templates::KernelInstance;

// A program and the launches of its entries, or the reason why there is none.
struct Program {
  model::Outcome<kernel_templates::CompileRequest> request;
  model::Outcome<kernel_templates::LaunchPlan> plan;

  std::optional<std::string> problem() const {
    if (!plan) return plan.error().reason;
    if (!request) return request.error().reason;
    return std::nullopt;
  }
};

Digest digest_of(const model::Outcome<kernel_templates::CompiledKernel>& outcome,
                 const kernel_templates::LaunchPlan& plan) {
  if (!outcome) return base::failure(std::string(outcome.error().reason));
  try {
    return kernel_templates::inspection::code_digest(*outcome, plan);
  } catch (const base::Error& error) {
    return base::failure(std::string(error.message()));
  }
}

std::vector<Digest> compiled_digests(const std::vector<Program>& programs,
                                     workers::compiling::CompilePool& pool,
                                     const base::Cancellation& cancellation, std::size_t* compiled) {
  std::vector<kernel_templates::CompileRequest> requests;
  for (const Program& program : programs) {
    if (!program.problem()) requests.push_back(*program.request);
  }
  const auto outcomes = pool.compile_all(std::move(requests), cancellation);
  std::vector<Digest> digests;
  auto outcome = outcomes.begin();
  for (const Program& program : programs) {
    if (const std::optional<std::string> problem = program.problem()) {
      digests.emplace_back(base::failure(std::string(*problem)));
      continue;
    }
    if (compiled != nullptr && (!*outcome || !(*outcome)->from_cache)) ++*compiled;
    digests.push_back(digest_of(*outcome, *program.plan));
    ++outcome;
  }
  return digests;
}

}  // namespace

std::vector<Digest> digests_of(const KernelInstance& instance,
                               const std::vector<model::NamedValues>& configurations,
                               workers::compiling::CompilePool& pool, const base::Cancellation& cancellation,
                               std::size_t* compiled) {
  std::vector<Program> programs;
  programs.reserve(configurations.size());
  for (const model::NamedValues& configuration : configurations)
    programs.push_back({instance.compile_request(configuration), instance.launch_plan(configuration)});
  return compiled_digests(programs, pool, cancellation, compiled);
}

Digest reference_digest(const KernelInstance& instance, workers::compiling::CompilePool& pool,
                        const base::Cancellation& cancellation, std::size_t* compiled) {
  if (!instance.compiles_reference()) return std::string();
  return compiled_digests({{instance.reference_request(), instance.reference_plan()}}, pool, cancellation,
                          compiled)
      .front();
}

}  // namespace warptune::tuner::carrying
