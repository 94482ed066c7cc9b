#pragma once

#include <string>

#include "tuner/sanitizing/sanitize_session.h"

namespace warptune::tuner::sanitizing {

/// The output of `warptune profile --sanitize`: for each configuration a table of the tools and the findings,
/// then one line with their numbers.
std::string sanitize_text(const SanitizeReport& report);

}  // namespace warptune::tuner::sanitizing
