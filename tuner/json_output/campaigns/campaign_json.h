#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/campaign_results.h"
#include "fleet/campaign_status.h"

/// The JSON outputs of `warptune campaign`. `store` is the address of the store without a password.
namespace warptune::tuner::json_output::campaigns {

/// The output of `campaign init`.
nlohmann::ordered_json campaign_init_json(const std::string& store);
/// The output of `campaign add`. `is_new` says whether the store did not have the campaign before.
nlohmann::ordered_json campaign_add_json(const std::string& store, const fleet::Campaign& campaign,
                                         bool is_new);
/// The output of `campaign list`.
nlohmann::ordered_json campaign_list_json(const std::string& store,
                                          const std::vector<fleet::CampaignSummary>& campaigns);
/// The output of `campaign status`, and a line of `campaign watch`.
nlohmann::ordered_json campaign_status_json(const std::string& store, const fleet::CampaignStatus& status,
                                            const fleet::Campaign& campaign);
/// The output of `campaign results`.
nlohmann::ordered_json campaign_results_json(const std::string& store, const fleet::Campaign& campaign,
                                             const std::vector<fleet::TaskResult>& results);
/// The output of `campaign cancel` and `campaign retry`. `action` is the action's name.
nlohmann::ordered_json campaign_change_json(const std::string& store, std::string_view action,
                                            const std::string& campaign, std::uint64_t tasks);
/// The output of `campaign remove`.
nlohmann::ordered_json campaign_remove_json(const std::string& store, const std::string& campaign,
                                            const fleet::RemovedCampaign& removed);
/// The output of `campaign accept`.
nlohmann::ordered_json campaign_accept_json(const std::string& store, const fleet::Node& node);

}  // namespace warptune::tuner::json_output::campaigns
