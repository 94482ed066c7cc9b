#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "db/store.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::text_output {

/// What `tune` says of a session to people; `kernel` is how the person called it: a name or a path.
std::string tune_text(const session::TuningOutcome& outcome, const db::Store& store,
                      const std::string& kernel);

/// `tied with the best: 7 others: A=1 B=2; ...`, one line that lists at most five; empty for none.
std::string ties_text(const std::vector<model::NamedValues>& tied);

/// Says why a session has no best.
base::WorkError nothing_measured_in(const session::TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::text_output
