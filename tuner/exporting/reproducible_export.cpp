#include "tuner/exporting/reproducible_export.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "model/objective.h"
#include "tuner/knowledge/reproducible_winners.h"

namespace warptune::tuner::exporting {

namespace {

// Two winners of the same problem whose outputs differ, although their inputs are equal.
void warn_of_other_bits(const db::ExportInput& input) {
  const std::vector<db::Winner>& winners = input.winners;
  for (std::size_t i = 0; i < winners.size(); ++i) {
    for (std::size_t j = i + 1; j < winners.size(); ++j) {
      const model::Workload& a = winners[i].workload;
      const model::Workload& b = winners[j].workload;
      if (model::key_of(a.problem) != model::key_of(b.problem)) continue;
      if (!model::outputs::give_other_bits(winners[i].best, winners[j].best)) continue;
      base::log_warning(
          fmt::format("{} {}: the outputs have other bits on {} than on {}, those of the default, too",
                      input.kernel, model::to_text(a.problem), a.gpu.name, b.gpu.name));
    }
  }
}

}  // namespace

void keep_reproducible(db::ExportInput& input, const std::string& kernel, const db::Store& store,
                       const model::outputs::Reproducibility& demanded) {
  std::vector<db::Winner> kept;
  std::string last;
  for (const db::Winner& winner : input.winners) {
    knowledge::ReproducibleWinner chosen = knowledge::reproducible_winner(
        winner, store, input.default_configuration, model::Objective(), demanded);
    if (chosen.winner) {
      kept.push_back(*std::move(chosen.winner));
      continue;
    }
    if (!last.empty()) base::log_warning(last);
    last = knowledge::nothing_reproducible_text(winner.workload, chosen, kernel);
  }
  if (kept.empty()) throw base::WorkError(last);
  if (!last.empty()) base::log_warning(last);
  input.winners = std::move(kept);
  if (demanded.demand == model::outputs::Reproducibility::Demand::kBits) warn_of_other_bits(input);
}

}  // namespace warptune::tuner::exporting
