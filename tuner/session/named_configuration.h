#pragma once

#include <string>

#include "model/space.h"

namespace warptune::tuner::session {

/// `start` with `changes` put in; names that it lacks are added.
model::NamedValues with_changes(model::NamedValues start, const model::NamedValues& changes);

/// A configuration that a person named with `--option`: throws `base::InputError` where the space has no such
/// parameter or value, or a constraint is broken.
void require_valid(const model::Space& space, const model::NamedValues& values, const std::string& option);

}  // namespace warptune::tuner::session
