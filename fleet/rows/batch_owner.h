// To whom the rows of a batch belong.
#pragma once

#include <string>

#include "db/row_extract.h"
#include "fleet/fleet_store.h"

namespace warptune::fleet::rows {

/// Tells a campaign from all others, also from one that had the same name and was removed: its name, and the
/// time at which it was added. It contains one blank.
std::string identity_of(const CampaignSummary& campaign);

/// The owner of the rows of a batch is the attempt that published it. The origin of its rows is derived from
/// the identity of the campaign, the lease, the node and the series of its batches (`BatchName`). So nobody
/// has to claim one, and no two attempts have the same. The owner objects to workloads that are not those of
/// the task: another kernel, other sizes, another GPU, another state of the cache.
db::RowOwner owner_of(const std::string& campaign_identity, const BatchName& batch,
                      const TaskClass& task_class, const Task& task);
/// The same. Throws `base::InputError` if the campaign has no such task.
db::RowOwner owner_of(const std::string& campaign_identity, const BatchName& batch, const Campaign& campaign);

}  // namespace warptune::fleet::rows
