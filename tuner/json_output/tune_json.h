#pragma once

#include <string>

#include "db/store.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::json_output {

/// The output of `warptune tune --format json` for one session: the text of a JSON object.
std::string tune_json(const session::TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::json_output
