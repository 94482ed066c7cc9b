// A captured launch and its repetition as text for people.
#pragma once

#include <string>

#include "tuner/benching/bench_session.h"

namespace warptune::tuner::text_output::surveys {

/// What the capture has, the times of the repeated launch beside that in the application, whether its outputs
/// are those of the application, its counters, and the findings of the rules.
std::string bench_report(const benching::Bench& bench);

}  // namespace warptune::tuner::text_output::surveys
