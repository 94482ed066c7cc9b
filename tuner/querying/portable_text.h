#pragma once

#include <string>

#include "model/objective.h"
#include "tuner/querying/portable_query.h"

namespace warptune::tuner::querying {

/// What `query --portable` prints: the configuration, what it loses on each GPU and what that rests on, then
/// what other configurations lose. Each line ends with a newline.
std::string portable_text(const PortableAnswer& answer, const model::Objective& objective);

}  // namespace warptune::tuner::querying
