#pragma once

#include <string>

#include "model/space.h"

namespace warptune::tuner::session {

/// A copy of `start` with the values of `changes`. Names that `start` lacks are added.
model::NamedValues with_changes(model::NamedValues start, const model::NamedValues& changes);

/// Checks a configuration that the user gave on the command line. `option` is the name of that option without
/// dashes, for the message. Throws `base::InputError` if the space has no such parameter or value, if a
/// constraint is broken, or if the configuration is not in the space of a recording.
void require_valid(const model::Space& space, const model::NamedValues& values, const std::string& option);

}  // namespace warptune::tuner::session
