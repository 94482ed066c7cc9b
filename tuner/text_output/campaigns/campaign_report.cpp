#include "tuner/text_output/campaigns/campaign_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/text.h"
#include "model/objective.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output::campaigns {

namespace {

using fleet::TaskState;

// Longer lists are cut. The JSON output has all of them.
constexpr std::size_t kShownRows = 20;

template <class Items>
std::span<const typename Items::value_type> first_of(const Items& items) {
  return {items.data(), std::min(items.size(), kShownRows)};
}

std::string rest_text(std::size_t count) {
  return count <= kShownRows ? "" : fmt::format("and {} more (--format json has all)\n", count - kShownRows);
}

std::uint64_t count_of(const std::map<TaskState, std::uint64_t>& tasks, TaskState state) {
  const auto found = tasks.find(state);
  return found == tasks.end() ? 0 : found->second;
}

std::uint64_t sum_of(const std::map<TaskState, std::uint64_t>& tasks) {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : tasks) sum += count;
  return sum;
}

// `, 3 running, 2 open`: the states with tasks, each after a comma. Tasks that are done are left out.
std::string states_text(const std::map<TaskState, std::uint64_t>& tasks) {
  constexpr std::array<std::pair<TaskState, const char*>, 5> kShown{{{TaskState::kLeased, "running"},
                                                                     {TaskState::kOpen, "open"},
                                                                     {TaskState::kFailed, "failed"},
                                                                     {TaskState::kQuarantined, "quarantined"},
                                                                     {TaskState::kCancelled, "cancelled"}}};
  std::string text;
  for (const auto& [state, name] : kShown)
    if (const std::uint64_t count = count_of(tasks, state)) text += fmt::format(", {} {}", count, name);
  return text;
}

// The names of a node's GPUs, each once with its number: `8 x NVIDIA H100`.
std::string gpus_text(const fleet::Node& node) {
  std::map<std::string, std::size_t> counts;
  for (const fleet::NodeGpu& offered : node.gpus) ++counts[offered.gpu.name];
  std::vector<std::string> parts;
  parts.reserve(counts.size());
  for (const auto& [name, count] : counts)
    parts.push_back(count == 1 ? name : fmt::format("{} x {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// Three digits, or all digits of a number with more.
std::string rate_number(double rate) {
  return rate < 999.5 ? fmt::format("{:.3g}", rate) : fmt::format("{:.0f}", rate);
}

std::string node_state(const fleet::NodeStatus& node, std::int64_t now_ms) {
  if (node.has_left) return "has ended";
  if (!node.is_here)
    return fmt::format("away for {}", time_span_text(static_cast<double>(now_ms - node.seen_ms) / 1000.0));
  return node.running > 0 ? "runs tasks" : "runs no task of this campaign";
}

bool has_unknown_roofs(const fleet::Node& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [](const auto& one) { return one.roofs.empty(); });
}

// Says why nodes cannot be judged by their roofs: a line for each reason, with the names of its nodes. Only
// nodes that are here and have a GPU with unknown roofs are listed. A node whose roofs are all known is left
// out, even if it is not judged because too few nodes measured the same model of GPU.
std::string unjudged_text(const fleet::CampaignStatus& status) {
  std::map<std::string, std::vector<std::string>> nodes;
  for (const fleet::NodeStatus& node : status.nodes)
    if (node.is_here && !node.not_judged.empty() && has_unknown_roofs(node.node))
      nodes[node.not_judged].push_back(node.node.name);
  std::string text;
  for (const auto& [reason, names] : nodes) {
    const std::size_t shown = std::min(names.size(), kShownRows);
    text +=
        fmt::format("not judged by their roofs: {}{}: {}\n",
                    fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                    shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "", reason);
  }
  return text;
}

// If there are many nodes, those that are away are only counted, unless they are suspect.
std::string nodes_text(const fleet::CampaignStatus& status) {
  if (status.nodes.empty()) return "\nno node has entered the store yet: start one with warptune node\n";
  const bool are_many = status.nodes.size() > kShownRows;
  TextTable table({"node", "GPUs", "version", "state", "running", "ended", "lost"}, {4, 5, 6});
  std::string suspects;
  std::uint64_t hidden = 0;
  for (const fleet::NodeStatus& node : status.nodes) {
    if (!node.suspicion.empty()) {
      suspects += fmt::format(
          "{} {} is suspect: {}; its rows are left out until someone runs warptune campaign accept {}\n",
          styled(Style::kCaution, "caution:"), node.node.name, node.suspicion, node.node.id);
    } else if (are_many && !node.is_here) {
      ++hidden;
      continue;
    }
    table.add({node.node.name, gpus_text(node.node), node.node.version, node_state(node, status.now_ms),
               std::to_string(node.running), std::to_string(node.finished), std::to_string(node.lost)});
  }
  return fmt::format(
      "\n{}{}{}{}", table.empty() ? "" : table.text(),
      hidden == 0 ? "" : fmt::format("{} away or ended\n", base::counted(hidden, "node is", "nodes are")),
      suspects, unjudged_text(status));
}

std::string quarantined_text(const fleet::CampaignStatus& status, const fleet::Campaign& campaign) {
  std::string text;
  for (const fleet::QuarantinedTask& quarantined : first_of(status.quarantined)) {
    text += fmt::format("{}: {}; warptune campaign retry opens it again\n",
                        styled(Style::kBad, "quarantined"), task_text(campaign, quarantined.task));
    for (const fleet::Attempt& attempt : quarantined.attempts)
      text += fmt::format("    {} {} on {}{}{}\n", date_text(attempt.started_ms),
                          fleet::to_string(attempt.end), fleet::node_name(status.nodes, attempt.node),
                          attempt.reason.empty() ? "" : ": ", attempt.reason);
  }
  return text + rest_text(status.quarantined.size());
}

// The most frequent reasons first.
std::string failed_evaluations_text(const fleet::CampaignStatus& status) {
  std::vector<std::pair<std::string, std::uint64_t>> reasons(status.failed_evaluations.begin(),
                                                             status.failed_evaluations.end());
  if (reasons.empty()) return "";
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& one, const auto& other) { return one.second > other.second; });
  TextTable table({"failed evaluations", "reason"}, {0});
  for (const auto& [reason, count] : first_of(reasons)) table.add({std::to_string(count), reason});
  return "\n" + table.text() + rest_text(reasons.size());
}

std::string failures_text(const fleet::CampaignStatus& status, const fleet::Campaign& campaign) {
  constexpr std::size_t kShownTasks = 5;
  std::string text;
  for (const fleet::FailedTasks& failed : first_of(status.failed_tasks)) {
    std::vector<std::string> tasks;
    for (const std::uint64_t task : failed.tasks)
      if (tasks.size() < kShownTasks) tasks.push_back(task_text(campaign, task));
    text += fmt::format("{} {}: {}{}: {}\n", base::counted(failed.tasks.size(), "task"),
                        styled(Style::kBad, "failed"), fmt::join(tasks, "; "),
                        failed.tasks.size() > kShownTasks ? "; ..." : "", failed.reason);
  }
  return text + rest_text(status.failed_tasks.size()) + quarantined_text(status, campaign) +
         failed_evaluations_text(status);
}

}  // namespace

std::string campaign_list_text(const std::vector<fleet::CampaignSummary>& campaigns) {
  if (campaigns.empty()) return "the store has no campaign; warptune campaign add FILE adds one\n";
  TextTable table({"campaign", "tasks", "done", "others", "added"}, {1, 2});
  for (const fleet::CampaignSummary& campaign : campaigns) {
    const std::string others = states_text(campaign.tasks);
    table.add({campaign.name, std::to_string(sum_of(campaign.tasks)),
               std::to_string(count_of(campaign.tasks, TaskState::kDone)),
               others.empty() ? "" : others.substr(2), date_text(campaign.added_ms)});
  }
  return table.text();
}

std::string task_text(const fleet::Campaign& campaign, std::uint64_t task) {
  const fleet::Task& one = campaign.tasks.at(task);
  std::string text = campaign.classes.at(one.class_index).kernel;
  for (const auto& [name, value] : one.sizes) text += fmt::format(" {}={}", name, model::to_text(value));
  return text;
}

std::string progress_text(const fleet::CampaignStatus& status) {
  return fmt::format("{} of {} done{}", count_of(status.tasks, TaskState::kDone),
                     base::counted(status.task_count(), "task"), states_text(status.tasks));
}

std::string expected_end_text(const fleet::CampaignStatus& status) {
  if (status.cancelled) return "the campaign is cancelled";
  if (status.is_over()) return "the campaign is over";
  if (status.end)
    return fmt::format("expected end: in {}, at {} (from {} of {} on average; {} left, {} at a time)",
                       time_span_text(static_cast<double>(status.end->end_ms - status.now_ms) / 1000.0),
                       date_text(status.end->end_ms), base::counted(status.end->finished, "finished task"),
                       time_span_text(status.end->task_seconds), base::counted(status.end->remaining, "task"),
                       status.end->running);
  return count_of(status.tasks, TaskState::kLeased) == 0
             ? "expected end: unknown, because no task runs"
             : "expected end: unknown, because no task has ended yet";
}

std::vector<std::string> effort_lines(const fleet::CampaignStatus& status) {
  std::vector<std::string> lines;
  lines.push_back(fmt::format("{:.2f} GPU hours spent, {:.2f} of them in lost attempts", status.gpu_hours,
                              status.lost_gpu_hours));
  std::string evaluations =
      fmt::format("{} in attempts that have ended", base::counted(status.evaluated, "evaluation"));
  if (status.rates)
    evaluations += fmt::format("; tasks an hour: {}, evaluations an hour: {} (last {})",
                               rate_number(status.rates->tasks_per_hour),
                               rate_number(status.rates->evaluations_per_hour),
                               time_span_text(static_cast<double>(status.rates->window_ms) / 1000.0));
  lines.push_back(std::move(evaluations));
  return lines;
}

std::string campaign_status_text(const fleet::CampaignStatus& status, const fleet::Campaign& campaign) {
  std::string text =
      fmt::format("{}: {}\n{}\n", status.name, progress_text(status), expected_end_text(status));
  for (const std::string& line : effort_lines(status)) text += line + "\n";
  text += nodes_text(status);
  for (const fleet::UnfitClass& unfit : status.unfit)
    text += fmt::format("{} {}\n", styled(Style::kCaution, "caution:"),
                        fleet::missing_text(unfit, campaign.classes.at(unfit.class_index).kernel));
  const std::string failures = failures_text(status, campaign);
  return failures.empty() ? text : text + "\n" + failures;
}

std::string campaign_results_text(const fleet::Campaign& campaign,
                                  const std::vector<fleet::TaskResult>& results) {
  TextTable table({"task", "state", "GPU", "best", "default slower by", "configuration"}, {3, 4});
  for (const fleet::TaskResult& result : results) {
    std::vector<std::string> row{task_text(campaign, result.task),
                                 std::string(fleet::to_string(result.state))};
    if (result.winner) {
      const model::Objective objective = model::Objective::parse(
          campaign.classes.at(campaign.tasks.at(result.task).class_index).options.objective);
      const std::optional<double> value = objective.value(result.winner->best);
      row.push_back(result.winner->workload.gpu.name);
      row.push_back(objective.parts().size() == 1 && value
                        ? objective_value_text(objective.parts().front(), *value)
                        : time_text(result.winner->best));
      row.push_back(result.default_loss ? fmt::format("{:.1f} %", 100.0 * *result.default_loss) : "");
      row.push_back(model::to_text(result.winner->best.configuration));
    } else {
      row.insert(row.end(), {"", "", "", ""});
    }
    table.add(std::move(row));
  }
  return table.text();
}

}  // namespace warptune::tuner::text_output::campaigns
