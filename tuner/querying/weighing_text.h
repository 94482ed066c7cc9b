#pragma once

#include <string>

#include "model/objective.h"
#include "tuner/knowledge/reproducible_winners.h"
#include "tuner/querying/weighed_winners.h"

namespace warptune::tuner::querying {

/// What a look-up weighed, as `query --explain` prints it: a table of winners, then what the losses come
/// from, then those that cannot answer. Each line ends with a newline.
std::string weighing_text(const Weighing& weighing, const model::Objective& objective);

/// What `query --reproducible` prints: what is known of the answer's outputs, and which better rows were
/// passed over. With `explain`, each of these with its reason. `kernel` is the name as the user gave it.
std::string reproducible_text(const knowledge::ReproducibleWinner& chosen, const model::Objective& objective,
                              const std::string& kernel, bool explain);

}  // namespace warptune::tuner::querying
