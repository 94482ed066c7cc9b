#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fleet/campaign.h"
#include "fleet/fleet_store.h"

namespace warptune::tuner::campaigns {

/// The largest number of tasks of a campaign.
constexpr std::size_t kMaxTasks = 100'000;

/// The largest campaign file. It has room for `kMaxTasks` tables of sizes with 160 bytes each.
constexpr std::uint64_t kMaxCampaignFileBytes = std::uint64_t{16} << 20;

/// A campaign as it is read from its file, and what nodes need to run it.
struct CampaignFile {
  fleet::Campaign campaign;
  std::vector<std::string> bundles;  ///< The bundles of the user's own definitions (`bundle_to_bytes`).
};

/// Reads a campaign file (docs/fleet-campaign.md). Definitions that are given as paths become bundles, which
/// are signed with `signing_key` if there is one. Throws `base::InputError` with file:line:column for:
/// * a file that is larger than `kMaxCampaignFileBytes`, a wrong form, an unknown key, or an option that
/// `warptune tune` would refuse;
/// * a definition that cannot be read, and a size that the kernel does not have;
/// * a task that is listed twice, and more than `kMaxTasks` tasks.
CampaignFile read_campaign_file(const std::filesystem::path& file,
                                const std::optional<std::filesystem::path>& signing_key = std::nullopt);

/// Stores the bundles, then the campaign. With `role`, only members of that role of the database see and run
/// it. Throws as the functions of the store do.
void add_campaign(fleet::FleetStore& store, const CampaignFile& file,
                  const std::optional<std::string>& role = std::nullopt);

}  // namespace warptune::tuner::campaigns
