#pragma once

#include <nlohmann/json.hpp>

#include "tuner/nodes/node.h"

namespace warptune::tuner::json_output::campaigns {

/// One event of `warptune node --progress json`.
nlohmann::ordered_json node_event_json(const nodes::NodeEvent& event);
/// Its last line: what the node has done.
nlohmann::ordered_json node_end_json(const nodes::NodeEnd& end);

}  // namespace warptune::tuner::json_output::campaigns
