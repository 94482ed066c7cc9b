#include "fleet/fleet_store.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::fleet {

void FleetStore::add_restricted_campaign(const Campaign& campaign, const std::string& role) {
  throw base::InputError(fmt::format(
      "{}: the campaign '{}' cannot be restricted to {}, because only stores in PostgreSQL have roles",
      address(), campaign.name, role));
}

void require_file_size(std::string_view bytes) {
  if (bytes.size() <= kMaxFileBytes) return;
  throw base::InputError(fmt::format("a file of {} bytes is too large for a store: expected at most {} MiB",
                                     bytes.size(), kMaxFileBytes >> 20));
}

}  // namespace warptune::fleet
