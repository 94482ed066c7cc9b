// The best stored row among those whose outputs are known to be what is demanded (`--reproducible`).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "model/objective.h"
#include "model/outputs/reproducibility.h"

namespace warptune::tuner::knowledge {

/// A row that is better than the one that was chosen, and was passed over.
struct PassedOver {
  model::NamedValues configuration;
  double value = 0.0;  ///< The value of the objective.
  model::outputs::ReproducibilityVerdict verdict;
};

/// What was chosen in one workload.
struct ReproducibleWinner {
  model::outputs::Reproducibility demanded;
  std::optional<db::Winner> winner;  ///< Absent if no row of the workload is known to meet the demand.
  model::outputs::ReproducibilityVerdict verdict;  ///< What is known of the winner's outputs.
  std::uint64_t unmet = 0;              ///< How many rows were passed over that do not meet the demand.
  std::uint64_t unknown = 0;            ///< How many were, of which that is not known.
  std::vector<PassedOver> passed_over;  ///< The first 16 of these, best first.
};

/// Chooses in the workload of `winner` among the rows that meet the demand. The best one wins. If confirmed
/// rows are at most 1 % worse (`db::kPreferredRatio`), the best of these wins. `usual` is the default
/// configuration with whose bits they are compared.
ReproducibleWinner reproducible_winner(const db::Winner& winner, const db::Store& store,
                                       const model::NamedValues& usual, const model::Objective& objective,
                                       const model::outputs::Reproducibility& demanded);

/// How many rows were passed over, and what compares them: a part of a sentence. `kernel` is the name as the
/// user gave it. Empty if none was.
std::string passed_over_text(const ReproducibleWinner& chosen, const std::string& kernel);

/// The message that no row of a workload meets the demand.
std::string nothing_reproducible_text(const model::Workload& workload, const ReproducibleWinner& chosen,
                                      const std::string& kernel);

}  // namespace warptune::tuner::knowledge
