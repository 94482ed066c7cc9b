#include "tuner/querying/kernel_query.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/layered_databases.h"
#include "tuner/knowledge/reproducible_answer.h"

namespace warptune::tuner::querying {

namespace {

std::optional<profiling::verification::WorkContradiction> doubt_of(
    const db::Match& match, const kernel_templates::KernelDefinition& definition) {
  if (!match.winner) return std::nullopt;
  const db::Winner& winner = *match.winner;
  const model::Workload& workload = winner.workload;
  return profiling::verification::PlausibilityCheck(
             workload.gpu, workload.cache, winner.roofs,
             profiling::verification::declared_work(definition, workload.problem, winner.work))
      .doubt(winner.best);
}

knowledge::EnvironmentDifferences differences_of(const KernelAnswer& answer,
                                                 const knowledge::LayeredDatabases& databases,
                                                 const gpus::MachineReader& read_machine) {
  if (!answer.match.winner) return {};
  const db::Winner& winner = *answer.match.winner;
  gpus::PresentMachine here = read_machine(databases.gpus());
  if (answer.chosen.is_here) here.gpu = answer.chosen.gpu;
  return knowledge::environment_differences(
      winner, databases.store_of(winner).newest_measured_session(winner.workload.gpu.key()), here);
}

// Without a database and a named GPU, the question can only be about a GPU of this machine.
gpus::ChosenGpu gpu_of(const KernelQuestion& question, const knowledge::LayeredDatabases& databases) {
  try {
    return gpus::choose_gpu(question.gpu, databases.gpus(), gpus::list_local_gpus, gpus::recognise_local_gpu);
  } catch (const base::InputError& error) {
    if (!question.gpu) databases.require();
    if (databases.exist()) throw;
    throw base::InputError(
        fmt::format("{}; there is no database yet: run `warptune tune KERNEL` first", error.message()));
  }
}

}  // namespace

KernelAnswer answer(const KernelQuestion& question, const gpus::MachineReader& read_machine) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(question.kernel, question.permissions);
  kernel_templates::log_warnings_of(definition);
  const knowledge::LayeredDatabases databases(question.database);
  const bool is_strict = question.strict || question.reproducible;
  if (is_strict) databases.require();
  const gpus::ChosenGpu chosen = gpu_of(question, databases);
  const kernel_templates::KernelInstance instance(definition, question.sizes, chosen.gpu);
  knowledge::AnswerSource source = databases.source(definition, question.objective);
  const knowledge::AnswerRequest request = {question.kernel, question.cache, is_strict,
                                            question.objective.is_time()};
  const auto store_of = [&databases](const db::Winner& winner) -> const db::Store& {
    return databases.store_of(winner);
  };
  std::optional<knowledge::ReproducibleWinner> reproducible;
  if (question.reproducible) {
    reproducible = knowledge::keep_reproducible(source, instance, request, question.objective,
                                                *question.reproducible, store_of);
  }
  const knowledge::KnownAnswer known = knowledge::known_answer(instance, source, request);
  if (known.match.tier != db::MatchTier::kRecommended) databases.require();
  KernelAnswer answer{instance,
                      chosen,
                      {definition.name, definition.hash, instance.problem(), instance.gpu(), question.cache},
                      known.match,
                      known.reason,
                      {},
                      doubt_of(known.match, definition),
                      {}};
  if (answer.match.winner)
    answer.front = text_output::pareto_points(databases.store_of(*answer.match.winner),
                                              answer.match.winner->workload, question.objective);
  answer.reproducible = std::move(reproducible);
  if (question.compare) answer.differences = differences_of(answer, databases, read_machine);
  if (question.explain) {
    db::Question asked = db::question_about(answer.asked);
    asked.strict = is_strict;
    answer.weighing = weigh(source.winners, source.all_versions(), asked, known.match, instance,
                            question.objective, store_of);
  }
  return answer;
}

std::string environment_note(const KernelAnswer& answer, const KernelQuestion& question) {
  if (!answer.match.winner) return "";
  return knowledge::environment_note(answer.differences, *answer.match.winner, question.kernel,
                                     question.objective.is_time());
}

}  // namespace warptune::tuner::querying
