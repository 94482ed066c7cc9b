// Nodes whose GPUs are not like others of their model.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/node.h"

namespace warptune::fleet {

/// A node is compared only with nodes that were seen later than this time before it was seen last. A machine
/// that left long ago says nothing about present drivers and cooling. The time is longer than campaigns
/// usually pause. It does not depend on now, so a verdict stays when a whole fleet has ended.
constexpr std::int64_t kComparedMs = std::int64_t{30} * 24 * 3600 * 1000;

/// The nodes whose measurements are not ranked together with those of others, by id, with the reason. A node
/// is suspect if a roof of one of its GPUs differs from the median of its model by more than the known spread
/// of GPUs of one model. Each node has one vote in this median, whatever the number of its GPUs. At least
/// three nodes must have one. A node that a person has accepted is never suspect.
std::map<std::string, std::string> suspect_nodes(const std::vector<NodeRecord>& nodes);

/// The nodes that cannot be judged, by id, with the reason: the roofs of a GPU are not known, or too few
/// nodes have measured its model. A node is left out if it is suspect or was accepted.
std::map<std::string, std::string> unjudged_nodes(const std::vector<NodeRecord>& nodes);

}  // namespace warptune::fleet
