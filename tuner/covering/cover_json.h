#pragma once

#include <string>

#include "tuner/covering/cover_session.h"

namespace warptune::tuner::covering {

/// The text of the output of `warptune cover --format json`.
std::string cover_json(const CoverRequest& request, const CoverResult& result);

}  // namespace warptune::tuner::covering
