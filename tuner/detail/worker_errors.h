#pragma once

#include <nlohmann/json.hpp>

namespace warptune::tuner::detail {

/// Throws a worker's reported failure as the `base::Error` it was there; returns when the message is none.
void throw_if_error(const nlohmann::json& message);

}  // namespace warptune::tuner::detail
