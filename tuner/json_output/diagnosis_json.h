#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "profiling/diagnosis/diagnosis.h"

namespace warptune::tuner::json_output {

/// A diagnosis as a JSON object with `findings` and `not_checked`.
nlohmann::ordered_json diagnosis_json(const profiling::diagnosis::Diagnosis& diagnosis);
/// The same; null for no diagnosis.
nlohmann::ordered_json diagnosis_json(const std::optional<profiling::diagnosis::Diagnosis>& diagnosis);

}  // namespace warptune::tuner::json_output
