#pragma once

#include <string>

#include "model/objective.h"
#include "tuner/querying/weighed_winners.h"

namespace warptune::tuner::querying {

/// What a look-up weighed, as `query --explain` prints it: a table of winners, then what the losses come
/// from, then those that cannot answer. Each line ends with a newline.
std::string weighing_text(const Weighing& weighing, const model::Objective& objective);

}  // namespace warptune::tuner::querying
