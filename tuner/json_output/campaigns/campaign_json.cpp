#include "tuner/json_output/campaigns/campaign_json.h"

#include <map>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output::campaigns {

using nlohmann::ordered_json;

namespace {

constexpr double kMsPerS = 1000.0;

ordered_json head(std::string_view name, const std::string& store) {
  ordered_json json = json_head(name);
  json["store"] = store;
  return json;
}

// All states, those without tasks included.
ordered_json task_counts_json(const std::map<fleet::TaskState, std::uint64_t>& tasks) {
  ordered_json json;
  for (const fleet::TaskState state :
       {fleet::TaskState::kOpen, fleet::TaskState::kLeased, fleet::TaskState::kDone,
        fleet::TaskState::kFailed, fleet::TaskState::kQuarantined, fleet::TaskState::kCancelled}) {
    const auto found = tasks.find(state);
    json[std::string(fleet::to_string(state))] = found == tasks.end() ? 0 : found->second;
  }
  return json;
}

// What identifies a task for people.
ordered_json task_json(const fleet::Campaign& campaign, std::uint64_t index) {
  const fleet::Task& task = campaign.tasks.at(index);
  const fleet::TaskClass& its = campaign.classes.at(task.class_index);
  return {{"index", index},
          {"kernel", its.kernel},
          {"kernel_hash", its.kernel_hash},
          {"sizes", values_json(task.sizes)},
          {"gpu", its.gpu.text()}};
}

ordered_json rates_json(const std::optional<fleet::CampaignRates>& rates) {
  if (!rates) return nullptr;
  return {{"tasks_per_hour", rates->tasks_per_hour},
          {"evaluations_per_hour", rates->evaluations_per_hour},
          {"window_s", static_cast<double>(rates->window_ms) / kMsPerS}};
}

ordered_json end_json(const std::optional<fleet::ExpectedEnd>& end) {
  if (!end) return nullptr;
  return {{"end_ms", end->end_ms},
          {"finished_count", end->finished},
          {"task_s", end->task_seconds},
          {"remaining_count", end->remaining},
          {"running_count", end->running}};
}

ordered_json attempt_json(const fleet::Attempt& attempt, const fleet::CampaignStatus& status) {
  return {{"node_id", attempt.node},
          {"node", fleet::node_name(status.nodes, attempt.node)},
          {"end", fleet::to_string(attempt.end)},
          {"reason", text_or_null(attempt.reason)},
          {"started_ms", attempt.started_ms},
          {"ended_ms", known_or_null(attempt.ended_ms)}};
}

void add_failures(ordered_json& json, const fleet::CampaignStatus& status, const fleet::Campaign& campaign) {
  json["failed_evaluations"] = ordered_json::array();
  for (const auto& [reason, count] : status.failed_evaluations)
    json["failed_evaluations"].push_back({{"reason", reason}, {"evaluation_count", count}});
  json["failed_tasks"] = ordered_json::array();
  for (const fleet::FailedTasks& failed : status.failed_tasks) {
    ordered_json tasks = ordered_json::array();
    for (const std::uint64_t task : failed.tasks) tasks.push_back(task_json(campaign, task));
    json["failed_tasks"].push_back({{"reason", failed.reason}, {"tasks", std::move(tasks)}});
  }
  json["quarantined"] = ordered_json::array();
  for (const fleet::QuarantinedTask& quarantined : status.quarantined) {
    ordered_json attempts = ordered_json::array();
    for (const fleet::Attempt& attempt : quarantined.attempts)
      attempts.push_back(attempt_json(attempt, status));
    json["quarantined"].push_back(
        {{"task", task_json(campaign, quarantined.task)}, {"attempts", std::move(attempts)}});
  }
}

ordered_json node_json(const fleet::NodeStatus& node) {
  ordered_json gpus = ordered_json::array();
  for (const fleet::NodeGpu& offered : node.node.gpus) gpus.push_back(gpu_json(offered.gpu));
  return {{"id", node.node.id},
          {"name", node.node.name},
          {"warptune_version", node.node.version},
          {"gpus", std::move(gpus)},
          {"seen_ms", node.seen_ms},
          {"is_here", node.is_here},
          {"has_left", node.has_left},
          {"accepted", node.accepted},
          {"suspicion", text_or_null(node.suspicion)},
          {"not_judged", text_or_null(node.not_judged)},
          {"running_count", node.running},
          {"finished_count", node.finished},
          {"lost_count", node.lost}};
}

ordered_json unfit_json(const fleet::UnfitClass& unfit, const std::string& kernel) {
  ordered_json refusals = ordered_json::array();
  for (const auto& [node, reason] : unfit.refusals) refusals.push_back({{"node", node}, {"reason", reason}});
  return {{"kernel", kernel},
          {"open_count", unfit.tasks.size()},
          {"wanted", unfit.wanted},
          {"gpus", unfit.gpus},
          {"refusals", std::move(refusals)},
          {"message", fleet::missing_text(unfit, kernel)}};
}

}  // namespace

ordered_json campaign_init_json(const std::string& store) { return head("campaign-init", store); }

ordered_json campaign_add_json(const std::string& store, const fleet::Campaign& campaign, bool is_new) {
  ordered_json json = head("campaign-add", store);
  json["name"] = campaign.name;
  json["digest"] = campaign.digest();
  json["task_count"] = campaign.tasks.size();
  json["is_new"] = is_new;
  return json;
}

ordered_json campaign_list_json(const std::string& store,
                                const std::vector<fleet::CampaignSummary>& campaigns) {
  ordered_json json = head("campaign-list", store);
  json["campaigns"] = ordered_json::array();
  for (const fleet::CampaignSummary& campaign : campaigns)
    json["campaigns"].push_back({{"name", campaign.name},
                                 {"digest", campaign.digest},
                                 {"added_ms", campaign.added_ms},
                                 {"cancelled", campaign.cancelled},
                                 {"tasks", task_counts_json(campaign.tasks)}});
  return json;
}

ordered_json campaign_status_json(const std::string& store, const fleet::CampaignStatus& status,
                                  const fleet::Campaign& campaign) {
  ordered_json json = head("campaign-status", store);
  json["name"] = status.name;
  json["digest"] = status.digest;
  json["added_ms"] = status.added_ms;
  json["now_ms"] = status.now_ms;
  json["cancelled"] = status.cancelled;
  json["is_over"] = status.is_over();
  json["task_count"] = status.task_count();
  json["tasks"] = task_counts_json(status.tasks);
  json["evaluation_count"] = status.evaluated;
  json["gpu_hours"] = status.gpu_hours;
  json["lost_gpu_hours"] = status.lost_gpu_hours;
  json["rates"] = rates_json(status.rates);
  json["expected_end"] = end_json(status.end);
  add_failures(json, status, campaign);
  json["nodes"] = ordered_json::array();
  for (const fleet::NodeStatus& node : status.nodes) json["nodes"].push_back(node_json(node));
  json["unfit"] = ordered_json::array();
  for (const fleet::UnfitClass& unfit : status.unfit)
    json["unfit"].push_back(unfit_json(unfit, campaign.classes.at(unfit.class_index).kernel));
  return json;
}

ordered_json campaign_results_json(const std::string& store, const fleet::Campaign& campaign,
                                   const std::vector<fleet::TaskResult>& results) {
  ordered_json json = head("campaign-results", store);
  json["name"] = campaign.name;
  json["results"] = ordered_json::array();
  for (const fleet::TaskResult& result : results)
    json["results"].push_back(
        {{"task", task_json(campaign, result.task)},
         {"state", fleet::to_string(result.state)},
         {"winner", result.winner ? winner_json(*result.winner) : ordered_json(nullptr)},
         {"default_loss_share", finite_or_null(result.default_loss)}});
  return json;
}

ordered_json campaign_change_json(const std::string& store, std::string_view action,
                                  const std::string& campaign, std::uint64_t tasks) {
  ordered_json json = head("campaign-change", store);
  json["action"] = action;
  json["name"] = campaign;
  json["task_count"] = tasks;
  return json;
}

ordered_json campaign_remove_json(const std::string& store, const std::string& campaign,
                                  const fleet::RemovedCampaign& removed) {
  ordered_json json = head("campaign-remove", store);
  json["name"] = campaign;
  json["task_count"] = removed.tasks;
  json["batch_count"] = removed.batches;
  return json;
}

ordered_json campaign_accept_json(const std::string& store, const fleet::Node& node) {
  ordered_json json = head("campaign-accept", store);
  json["node_id"] = node.id;
  json["node"] = node.name;
  return json;
}

}  // namespace warptune::tuner::json_output::campaigns
