#pragma once

#include <string>

#include "tuner/covering/cover_session.h"

namespace warptune::tuner::covering {

/// The share of sizes of which `confidence_text` speaks.
inline constexpr double kConfidence = 0.9;

/// `12 sizes, 840 evaluations, 5 configurations: M=64 N=64 K=8192`: a line after each step.
std::string progress_line(const CoverRequest& request, const CoverProgress& progress);

/// What the sizes that were held back say: how many are within the limit, the worst, and what follows for all
/// sizes. Empty if there were none.
std::string held_back_text(const CoverRequest& request, const CoverOutcome& outcome);

/// The configurations, the list that says which one answers, and how sure that is.
std::string cover_text(const CoverRequest& request, const CoverResult& result);

}  // namespace warptune::tuner::covering
