// What people read about campaigns in a terminal.
#pragma once

#include <string>
#include <vector>

#include "fleet/campaign_results.h"
#include "fleet/campaign_status.h"

namespace warptune::tuner::text_output::campaigns {

/// The table of `campaign list`.
std::string campaign_list_text(const std::vector<fleet::CampaignSummary>& campaigns);

/// How a task is shown to people: its kernel and its sizes, such as `transpose M=64 N=128`.
std::string task_text(const fleet::Campaign& campaign, std::uint64_t task);

/// One line with the tasks of each state: `12 of 64 tasks done, 8 running, 44 open`.
std::string progress_text(const fleet::CampaignStatus& status);
/// When the campaign is expected to end, and why; or why this is not known. One line.
std::string expected_end_text(const fleet::CampaignStatus& status);
/// The GPU hours, the evaluations and the rates, a line each.
std::vector<std::string> effort_lines(const fleet::CampaignStatus& status);

/// The output of `campaign status`.
std::string campaign_status_text(const fleet::CampaignStatus& status, const fleet::Campaign& campaign);

/// The output of `campaign results`.
std::string campaign_results_text(const fleet::Campaign& campaign,
                                  const std::vector<fleet::TaskResult>& results);

}  // namespace warptune::tuner::text_output::campaigns
