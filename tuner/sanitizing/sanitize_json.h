#pragma once

#include <string>

#include "tuner/sanitizing/sanitize_session.h"

namespace warptune::tuner::sanitizing {

/// The output of `warptune profile --sanitize --format json`.
std::string sanitize_json(const SanitizeReport& report);

}  // namespace warptune::tuner::sanitizing
