#include "tuner/knowledge/reproducible_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::knowledge {

namespace {

// Why no row of the workload can be judged.
base::WorkError nothing_judged(const AnswerSource& source, const AnswerRequest& request,
                               const model::Workload& asked, const model::Objective& objective,
                               const model::outputs::Reproducibility& demanded) {
  const std::vector<db::Winner> by_time = source.all_versions();
  const bool is_stored = std::any_of(by_time.begin(), by_time.end(), [&](const db::Winner& winner) {
    return is_same_workload(winner.workload, asked);
  });
  const std::string heading = fmt::format("{} {} on {} from {}", asked.kernel, model::to_text(asked.problem),
                                          asked.gpu.name, model::l2_text(asked.cache));
  if (is_stored)
    return base::WorkError(
        fmt::format("nothing that is stored of {} has the objective {}", heading, objective.text()));
  return base::WorkError(fmt::format(
      "nothing is stored of {}, and results of other problems or GPUs say nothing about the outputs here; "
      "run `{} --reproducible={}`",
      heading, tune_command(request.kernel, asked.problem, asked.cache), demanded.text));
}

}  // namespace

ReproducibleWinner keep_reproducible(AnswerSource& source, const kernel_templates::KernelInstance& instance,
                                     const AnswerRequest& request, const model::Objective& objective,
                                     const model::outputs::Reproducibility& demanded,
                                     const std::function<const db::Store&(const db::Winner&)>& store_of) {
  const model::Workload asked = workload_of(instance, request.cache);
  std::optional<ReproducibleWinner> chosen;
  for (const db::Winner& winner : source.winners) {
    if (!is_same_workload(winner.workload, asked) || (chosen && chosen->winner)) continue;
    chosen =
        reproducible_winner(winner, store_of(winner), instance.default_configuration(), objective, demanded);
  }
  if (!chosen) throw nothing_judged(source, request, asked, objective, demanded);
  if (!chosen->winner) throw base::WorkError(nothing_reproducible_text(asked, *chosen, request.kernel));
  source.winners = {*chosen->winner};
  source.valid_row = nullptr;
  source.covered = nullptr;
  return *std::move(chosen);
}

}  // namespace warptune::tuner::knowledge
