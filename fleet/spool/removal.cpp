#include "fleet/spool/removal.h"

#include <filesystem>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "base/error.h"
#include "fleet/spool/spool_files.h"

namespace warptune::fleet::spool {

RemovedCampaign remove_campaign(const Folder& spool, CampaignFolder& campaign, bool force,
                                std::int64_t now_ms) {
  if (!force) require_ended(campaign.summary(now_ms));
  std::vector<BatchName> batches;
  campaign.batches().list({}, {}, batches);
  const RemovedCampaign removed{campaign.stored().campaign.tasks.size(),
                                std::set<BatchName>(batches.begin(), batches.end()).size()};
  const Folder campaigns = spool.at(kCampaignsFolder);
  const std::string unfinished = ".new-" + Folder::token();
  campaigns.move_folder(campaign.stored().campaign.name, unfinished);
  campaigns.sync();
  std::error_code error;
  std::filesystem::remove_all(campaigns.path() / unfinished, error);
  if (error)
    throw base::MachineError(
        "the campaign is removed, but its files could not all be deleted: " + error.message(),
        "delete " + (campaigns.path() / unfinished).string());
  return removed;
}

}  // namespace warptune::fleet::spool
