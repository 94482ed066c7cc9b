#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "db/lookup.h"
#include "profiling/verification/plausibility.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/knowledge/reproducible_winners.h"
#include "tuner/querying/portable_query.h"
#include "tuner/querying/weighed_winners.h"
#include "tuner/text_output/configuration_comparison.h"

namespace warptune::tuner::json_output {

/// The output of `warptune query --format json`. `asked` is the workload of the question. `reason` says why
/// the answer is not the best that was measured; it is empty if the answer is that. `weighing` is
/// what `--explain` asks for. `reproducible` is what `--reproducible` asks for. `differences` are those
/// between the winner's environment and the present.
nlohmann::ordered_json query_json(const db::Match& match, const std::string& reason,
                                  const model::Workload& asked, const model::Objective& objective,
                                  const std::vector<text_output::ParetoPoint>& front,
                                  const std::optional<profiling::verification::WorkContradiction>& doubt,
                                  const std::optional<querying::Weighing>& weighing,
                                  const knowledge::EnvironmentDifferences& differences,
                                  const std::optional<knowledge::ReproducibleWinner>& reproducible);

/// The output of `warptune query --portable --format json`.
nlohmann::ordered_json portable_json(const querying::PortableAnswer& answer,
                                     const model::Objective& objective);

}  // namespace warptune::tuner::json_output
