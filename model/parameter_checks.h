// The rules for the parameters of a space.
#pragma once

#include <vector>

#include "model/parameter.h"

namespace warptune::model {

/// Throws `base::InputError` at the first parameter that breaks a rule. There must be at least one parameter.
/// Each has values, all of one type, finite and distinct. The names are distinct and differ from the names of
/// constants.
void check_parameters(const std::vector<Parameter>& parameters, const NamedValues& constants);

}  // namespace warptune::model
