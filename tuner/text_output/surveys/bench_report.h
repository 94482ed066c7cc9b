// A captured launch and its repetition as text for people.
#pragma once

#include <string>

#include "tuner/benching/bench_session.h"

namespace warptune::tuner::text_output::surveys {

/// The text says what the capture has. For a repeated launch it has the times beside that in the application,
/// whether the outputs are those of the application, the counters, and the findings of the rules.
std::string bench_report(const benching::Bench& bench);

}  // namespace warptune::tuner::text_output::surveys
