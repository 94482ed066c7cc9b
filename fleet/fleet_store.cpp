#include "fleet/fleet_store.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::fleet {

void FleetStore::add_restricted_campaign(const Campaign& campaign, const std::string& role) {
  throw base::InputError(fmt::format(
      "{}: the campaign '{}' cannot be restricted to {}, because only stores in PostgreSQL have roles",
      address(), campaign.name, role));
}

}  // namespace warptune::fleet
