#pragma once

#include <nlohmann/json.hpp>

#include "profiling/diagnosis.h"

namespace warptune::tuner::detail {

/// {"findings": [{rule, severity, title, gain, gain_basis, evidence, remedy, parameters, follows_from}],
/// "not_checked": [{rule, metrics}]}.
nlohmann::ordered_json diagnosis_json(const profiling::Diagnosis& diagnosis);

}  // namespace warptune::tuner::detail
