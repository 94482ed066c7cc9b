#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "db/store.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::json_output {

/// One session of `warptune tune --format json`.
nlohmann::ordered_json tuned_session_json(const session::TuningOutcome& outcome, const db::Store& store);

/// The output of `warptune tune --format json`: all sessions, and the error with which the command ends after
/// them.
nlohmann::ordered_json tune_json(const std::vector<nlohmann::ordered_json>& sessions,
                                 const std::optional<base::WorkError>& error);

/// A finalist whose outputs differ much more from the reference than those of the others.
nlohmann::ordered_json imprecise_json(const session::FinalistImprecise& finalist);

}  // namespace warptune::tuner::json_output
