// Nodes whose GPUs are not like others of their model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "fleet/node.h"

namespace warptune::fleet {

/// The nodes whose measurements are not ranked together with those of others, by id, with the reason. A node
/// is suspect if a roof of one of its GPUs differs from the median of its model by more than the known spread
/// of GPUs of one model. At least three nodes must have measured that roof on the model. A node that a person
/// has accepted is never suspect.
std::map<std::string, std::string> suspect_nodes(const std::vector<NodeRecord>& nodes);

}  // namespace warptune::fleet
