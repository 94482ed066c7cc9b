#pragma once

#include <string>

#include "search/space.h"

namespace warptune::tuner {

/// `start` with `changes` put in; names that it lacks are added.
search::NamedValues with_changes(search::NamedValues start, const search::NamedValues& changes);

/// A configuration that a person named with `--option`: throws `base::InputError` where the space has no such
/// parameter or value, or a constraint is broken.
void require_valid(const search::Space& space, const search::NamedValues& values, const std::string& option);

}  // namespace warptune::tuner
