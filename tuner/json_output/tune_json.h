#pragma once

#include <string>

#include "db/store.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::json_output {

/// What `tune` says of a session to programs: the text of a JSON object.
std::string tune_json(const session::TuningOutcome& outcome, const db::Store& store);

}  // namespace warptune::tuner::json_output
