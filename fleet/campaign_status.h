// What a campaign has done and what it still needs, computed from what its store knows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/campaign.h"
#include "fleet/fleet_store.h"
#include "fleet/node.h"
#include "fleet/task_record.h"
#include "fleet/unfit_classes.h"

namespace warptune::fleet {

/// The rates of a campaign are those of this time before now.
constexpr std::int64_t kRateWindowMs = 30 * 60 * 1000;

/// What a store knows about a campaign at one time.
struct CampaignFacts {
  CampaignSummary summary;
  Campaign campaign;
  std::vector<TaskRecord> tasks;
  std::vector<NodeRecord> nodes;
  /// The nodes that are suspect, by id, with the reason (`suspicion.h`).
  std::map<std::string, std::string> suspects{};
  std::map<std::string, std::string> unjudged{};  ///< The same for those that cannot be judged.
  std::int64_t now_ms = 0;                        ///< Unix time by the store's clock.
};

/// Reads all facts from the store. Throws as the functions of the store do.
CampaignFacts read_campaign(FleetStore& store, const std::string& name);

/// How fast a campaign proceeds.
struct CampaignRates {
  double tasks_per_hour = 0.0;        ///< Tasks that were done or have failed.
  double evaluations_per_hour = 0.0;  ///< Running attempts are left out: they report at their end.
  std::int64_t window_ms = 0;         ///< The rates are means over this time.
};

/// When a campaign is expected to end, and why.
struct ExpectedEnd {
  std::int64_t end_ms = 0;      ///< Unix time by the store's clock.
  std::uint64_t finished = 0;   ///< The number of finished tasks from which the time of a task is known.
  double task_seconds = 0.0;    ///< The mean time of these tasks.
  std::uint64_t remaining = 0;  ///< Open and leased tasks, without those that no node takes.
  std::uint64_t running = 0;    ///< How many tasks run now. It is assumed that so many always do.
};

/// Tasks that have failed for the same reason.
struct FailedTasks {
  std::string reason;
  std::vector<std::uint64_t> tasks;
};

/// A task that was lost too often.
struct QuarantinedTask {
  std::uint64_t task = 0;
  std::vector<Attempt> attempts;  ///< Oldest first.
};

/// A node, and what it has done in the campaign.
struct NodeStatus {
  Node node;
  std::int64_t seen_ms = 0;
  bool is_here = false;   ///< It has not ended, and its last heartbeat is not older than a lease lasts.
  bool has_left = false;  ///< It has ended, and said so.
  bool accepted = false;
  std::string suspicion{};     ///< Why it is suspect. Its rows are withheld. Empty: it is not suspect.
  std::string not_judged{};    ///< Why nothing is known about it. Empty: it is judged, or was accepted.
  std::uint64_t running = 0;   ///< Attempts of the campaign.
  std::uint64_t finished = 0;  ///< Attempts that were done or have failed.
  std::uint64_t lost = 0;
};

/// The state of a campaign for people and programs.
struct CampaignStatus {
  std::string name;
  std::string digest;
  std::int64_t added_ms = 0;
  std::int64_t now_ms = 0;
  bool cancelled = false;
  std::map<TaskState, std::uint64_t> tasks;  ///< All states.
  /// Evaluations of all attempts that have reported, and of those that reported nothing (lost or given back)
  /// as far as a later attempt took them over and has reported.
  std::uint64_t evaluated = 0;
  double gpu_hours = 0.0;  ///< The time for which attempts held their GPUs, running and lost ones included.
  double lost_gpu_hours = 0.0;  ///< The part of it that belongs to lost attempts. Their rows are kept.
  std::optional<CampaignRates> rates{};  ///< Empty if nothing has run yet.
  /// Empty if nothing is left to do, if no task runs, or if no task has finished yet.
  std::optional<ExpectedEnd> end{};
  std::map<std::string, std::uint64_t> failed_evaluations{};  ///< By reason.
  std::vector<FailedTasks> failed_tasks{};
  std::vector<QuarantinedTask> quarantined{};
  std::vector<NodeStatus> nodes{};  ///< In the order of the store.
  std::vector<UnfitClass> unfit{};

  std::uint64_t task_count() const;
  /// Whether no task is open or leased.
  bool is_over() const;
};

CampaignStatus campaign_status(const CampaignFacts& facts);

/// The name of a node for people, or its id if it is not known.
std::string node_name(const std::vector<NodeStatus>& nodes, const std::string& id);

}  // namespace warptune::fleet
