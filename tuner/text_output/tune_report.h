#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/store.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::text_output {

/// The text that `warptune tune` prints about a session. `kernel` is the argument of the command: a name or a
/// path.
std::string tune_text(const session::TuningOutcome& outcome, const db::Store& store,
                      const std::string& kernel);

/// A line such as `tied with the best: 7 others: A=1 B=2; ...`. It lists at most five. Empty without ties.
std::string ties_text(const std::vector<model::NamedValues>& tied);

/// The last line of a report: it says that the results come from a recording, and what this means for
/// `export`. Empty if GPUs measured.
std::string replayed_text(const session::TuningOutcome& outcome);
/// The error that says why a session has no best configuration.
base::WorkError nothing_measured_in(const session::TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::text_output
