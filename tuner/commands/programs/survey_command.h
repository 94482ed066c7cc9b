#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/surveying/survey_session.h"

namespace warptune::tuner::commands::programs {

/// Reads the arguments of `warptune survey`. Those after the first `--` are the program and its arguments.
/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid.
std::optional<surveying::SurveyQuestion> parse_survey(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands::programs
