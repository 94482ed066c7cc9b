#pragma once

#include <string>

#include "fleet/fleet_store.h"
#include "fleet/postgresql/connection.h"

namespace warptune::fleet::postgresql {

/// Removes everything of a campaign in one transaction (`FleetStore::remove`). The user is an administrator:
/// only the owner of the tables may delete rows. Throws `base::InputError` if there is no such campaign or,
/// without `force`, if it has open or leased tasks. Nothing is removed then.
RemovedCampaign remove_campaign(Connection& connection, const std::string& name, bool force);

}  // namespace warptune::fleet::postgresql
