#pragma once

#include <string>

#include "model/space.h"

namespace warptune::tuner::session {

/// A copy of `start` with the values of `changes`. Names that `start` lacks are added.
model::NamedValues with_changes(model::NamedValues start, const model::NamedValues& changes);

/// Checks a configuration that a person named with `--option`. Throws `base::InputError` when the space has
/// no such parameter or value, and when a constraint is broken.
void require_valid(const model::Space& space, const model::NamedValues& values, const std::string& option);

}  // namespace warptune::tuner::session
