// A captured launch and its repetition as JSON.
#pragma once

#include <nlohmann/json.hpp>

#include "tuner/benching/bench_session.h"

namespace warptune::tuner::json_output::surveys {

/// The output of `warptune bench --format json`, without the contents of buffers
/// (`schemas/bench.schema.json`).
nlohmann::ordered_json bench_json(const benching::Bench& bench);

}  // namespace warptune::tuner::json_output::surveys
