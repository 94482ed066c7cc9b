// Open tasks that no node takes, and why.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/node.h"

namespace warptune::fleet {

struct CampaignFacts;

/// A class with open tasks that no node takes.
struct UnfitClass {
  std::uint64_t class_index = 0;
  std::set<std::uint64_t> tasks;  ///< The open tasks that no node takes.
  std::string wanted;             ///< `GpuPredicate::text`.
  std::vector<std::string>
      gpus;  ///< The GPUs of the nodes that are here, each once: `NVIDIA H100 (9.0, 80 GiB)`.
  std::vector<std::pair<std::string, std::string>>
      refusals;  ///< Nodes that are here, by name, and their reasons.
  /// If no node is here: the node that was seen last, by name, and why it refused. Empty: it did not.
  std::pair<std::string, std::string> last_refusal{};
};

/// Whether a node has not ended, and its last heartbeat is not older than a lease lasts.
bool is_here(const NodeRecord& record, std::int64_t now_ms);

/// The classes of a campaign with open tasks that no node takes, in their order.
std::vector<UnfitClass> unfit_classes(const CampaignFacts& facts);

/// One sentence that says what is missing for a class that no node takes.
std::string missing_text(const UnfitClass& unfit, const std::string& kernel);

}  // namespace warptune::fleet
