// What parameters must be to span a space.
#pragma once

#include <vector>

#include "model/parameter.h"

namespace warptune::model {

/// Throws `base::InputError` at a parameter that has no values, values of several types, one that is not
/// finite or one twice, and at names that come twice or are a constant's. There must be at least one.
void check_parameters(const std::vector<Parameter>& parameters, const NamedValues& constants);

}  // namespace warptune::model
