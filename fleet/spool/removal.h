#pragma once

#include <cstdint>

#include "fleet/fleet_store.h"
#include "fleet/spool/campaign_folder.h"
#include "fleet/spool/folder.h"

namespace warptune::fleet::spool {

/// Removes a campaign from a spool (`FleetStore::remove`). Its folder is renamed first, so the campaign is
/// gone as a whole. A process that is killed then leaves an unfinished folder (docs/fleet-store.md, "Backup
/// and clean-up").
RemovedCampaign remove_campaign(const Folder& spool, CampaignFolder& campaign, bool force,
                                std::int64_t now_ms);

}  // namespace warptune::fleet::spool
