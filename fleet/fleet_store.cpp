#include "fleet/fleet_store.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"

namespace warptune::fleet {

void FleetStore::add_restricted_campaign(const Campaign& campaign, const std::string& role) {
  throw base::InputError(fmt::format(
      "{}: the campaign '{}' cannot be restricted to {}, because only stores in PostgreSQL have roles",
      address(), campaign.name, role));
}

void require_ended(const CampaignSummary& campaign) {
  const auto count = [&](TaskState state) {
    const auto found = campaign.tasks.find(state);
    return found == campaign.tasks.end() ? 0 : found->second;
  };
  const std::uint64_t open = count(TaskState::kOpen);
  const std::uint64_t leased = count(TaskState::kLeased);
  if (open + leased == 0) return;
  throw base::InputError(
      fmt::format("the campaign '{}' has not ended: {} open and {} run; cancel it first, or use --force",
                  campaign.name, base::counted(open, "task is", "tasks are"), leased));
}

void require_file_size(std::string_view bytes) {
  if (bytes.size() <= kMaxFileBytes) return;
  throw base::InputError(fmt::format("a file of {} bytes is too large for a store: expected at most {} MiB",
                                     bytes.size(), kMaxFileBytes >> 20));
}

}  // namespace warptune::fleet
