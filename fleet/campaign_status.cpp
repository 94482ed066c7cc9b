// The expected end assumes that as many tasks as now always run, and that a task takes as long as the
// finished tasks of its class did on average. If its class has no finished task, it takes as long as all
// finished tasks on average. So the end is now + max(S / running, L): S is the sum of the times that the
// remaining tasks still take, and L is the longest of these times. This is the lower bound of the makespan of
// list scheduling (Graham, Bounds on multiprocessing timing anomalies, 1969).
#include "fleet/campaign_status.h"

#include <algorithm>
#include <utility>

#include "fleet/suspicion.h"

namespace warptune::fleet {

namespace {

constexpr double kMsPerHour = 3'600'000.0;
constexpr double kMsPerSecond = 1000.0;
constexpr double kSecondsPerHour = 3600.0;

bool is_finish(AttemptEnd end) { return end == AttemptEnd::kDone || end == AttemptEnd::kFailed; }

double duration_ms(const Attempt& attempt, std::int64_t now_ms) {
  const std::int64_t end = attempt.end == AttemptEnd::kRunning ? now_ms : attempt.ended_ms;
  return static_cast<double>(std::max<std::int64_t>(end - attempt.started_ms, 0));
}

double gpu_hours(const Attempt& attempt, std::int64_t now_ms) {
  if (attempt.outcome) return attempt.outcome->gpu_seconds / kSecondsPerHour;
  return duration_ms(attempt, now_ms) / kMsPerHour;
}

template <class Take>
void for_each_attempt(const CampaignFacts& facts, Take&& take) {
  for (const TaskRecord& task : facts.tasks)
    for (const Attempt& attempt : task.attempts) take(task, attempt);
}

// The evaluations of a task. An attempt that was lost or given back reports nothing, but a later one says how
// many evaluations it took over. Each report gives a lower bound: what it took over, and what it and later
// attempts reported.
std::uint64_t evaluated_in(const TaskRecord& task) {
  std::uint64_t reported = 0;
  std::uint64_t most = 0;
  for (auto attempt = task.attempts.rbegin(); attempt != task.attempts.rend(); ++attempt) {
    if (!attempt->outcome) continue;
    reported += attempt->outcome->evaluated;
    most = std::max(most, attempt->outcome->continued + reported);
  }
  return most;
}

void add_attempts(const CampaignFacts& facts, CampaignStatus& status) {
  for (const TaskRecord& task : facts.tasks) status.evaluated += evaluated_in(task);
  for_each_attempt(facts, [&](const TaskRecord&, const Attempt& attempt) {
    const double hours = gpu_hours(attempt, facts.now_ms);
    status.gpu_hours += hours;
    if (attempt.end == AttemptEnd::kLost) status.lost_gpu_hours += hours;
    if (!attempt.outcome) return;
    for (const auto& [reason, count] : attempt.outcome->failures) status.failed_evaluations[reason] += count;
  });
}

// The reason of the attempt that closed the task as failed.
std::string reason_of(const TaskRecord& task) {
  for (auto attempt = task.attempts.rbegin(); attempt != task.attempts.rend(); ++attempt)
    if (attempt->end == AttemptEnd::kFailed && attempt->outcome) return attempt->outcome->reason;
  return "no reason is known";
}

void add_tasks(const CampaignFacts& facts, CampaignStatus& status) {
  for (const TaskState state : {TaskState::kOpen, TaskState::kLeased, TaskState::kDone, TaskState::kFailed,
                                TaskState::kQuarantined, TaskState::kCancelled})
    status.tasks[state] = 0;
  std::map<std::string, std::vector<std::uint64_t>> failed;
  for (const TaskRecord& task : facts.tasks) {
    ++status.tasks[task.state];
    if (task.state == TaskState::kFailed) failed[reason_of(task)].push_back(task.task);
    if (task.state == TaskState::kQuarantined) status.quarantined.push_back({task.task, task.attempts});
  }
  for (auto& [reason, tasks] : failed) status.failed_tasks.push_back({reason, std::move(tasks)});
}

std::optional<CampaignRates> rates_of(const CampaignFacts& facts, bool is_over) {
  std::optional<std::int64_t> first;
  std::int64_t last = 0;
  for_each_attempt(facts, [&](const TaskRecord&, const Attempt& attempt) {
    first = std::min(first.value_or(attempt.started_ms), attempt.started_ms);
    last = std::max(last, attempt.ended_ms);
  });
  if (!first) return std::nullopt;
  const std::int64_t until = is_over ? last : facts.now_ms;
  const std::int64_t since = std::max(*first, until - kRateWindowMs);
  if (until <= since) return std::nullopt;
  CampaignRates rates;
  rates.window_ms = until - since;
  const double hours = static_cast<double>(rates.window_ms) / kMsPerHour;
  for_each_attempt(facts, [&](const TaskRecord&, const Attempt& attempt) {
    if (attempt.end == AttemptEnd::kRunning || attempt.ended_ms <= since || attempt.ended_ms > until) return;
    if (is_finish(attempt.end)) rates.tasks_per_hour += 1.0 / hours;
    const double whole = duration_ms(attempt, facts.now_ms);
    if (!attempt.outcome || whole <= 0.0) return;
    // An attempt that began before the window counts with its part within the window.
    const double part = static_cast<double>(attempt.ended_ms - std::max(attempt.started_ms, since)) / whole;
    rates.evaluations_per_hour += part * static_cast<double>(attempt.outcome->evaluated) / hours;
  });
  return rates;
}

struct Mean {
  double sum = 0.0;
  std::uint64_t count = 0;

  void add(double value) {
    sum += value;
    ++count;
  }
  double value() const { return sum / static_cast<double>(count); }
};

bool is_unfit(const CampaignStatus& status, std::uint64_t task) {
  return std::any_of(status.unfit.begin(), status.unfit.end(),
                     [&](const UnfitClass& unfit) { return unfit.tasks.contains(task); });
}

std::optional<ExpectedEnd> expected_end(const CampaignFacts& facts, const CampaignStatus& status) {
  std::map<std::uint64_t, Mean> of_class;
  Mean of_all;
  for_each_attempt(facts, [&](const TaskRecord& task, const Attempt& attempt) {
    if (!is_finish(attempt.end)) return;
    of_all.add(duration_ms(attempt, facts.now_ms));
    of_class[facts.campaign.tasks.at(task.task).class_index].add(duration_ms(attempt, facts.now_ms));
  });
  if (of_all.count == 0) return std::nullopt;
  ExpectedEnd end;
  double sum_ms = 0.0;
  double longest_ms = 0.0;
  for (const TaskRecord& task : facts.tasks) {
    const bool is_leased = task.state == TaskState::kLeased;
    const std::uint64_t class_index = facts.campaign.tasks.at(task.task).class_index;
    if (!is_leased && (task.state != TaskState::kOpen || is_unfit(status, task.task))) continue;
    const auto known = of_class.find(class_index);
    double left_ms = known == of_class.end() ? of_all.value() : known->second.value();
    if (is_leased && !task.attempts.empty())
      left_ms = std::max(left_ms - duration_ms(task.attempts.back(), facts.now_ms), 0.0);
    ++end.remaining;
    if (is_leased) ++end.running;
    sum_ms += left_ms;
    longest_ms = std::max(longest_ms, left_ms);
  }
  if (end.running == 0) return std::nullopt;
  const double left_ms = std::max(sum_ms / static_cast<double>(end.running), longest_ms);
  end.end_ms = facts.now_ms + static_cast<std::int64_t>(left_ms);
  end.finished = of_all.count;
  end.task_seconds = of_all.value() / kMsPerSecond;
  return end;
}

void add_nodes(const CampaignFacts& facts, CampaignStatus& status) {
  std::map<std::string, std::size_t> places;
  for (const NodeRecord& record : facts.nodes) {
    NodeStatus node{record.node, record.seen_ms};
    node.is_here = is_here(record, facts.now_ms);
    node.has_left = record.has_left;
    node.accepted = record.accepted;
    const auto suspect = facts.suspects.find(record.node.id);
    if (suspect != facts.suspects.end()) node.suspicion = suspect->second;
    const auto unjudged = facts.unjudged.find(record.node.id);
    if (unjudged != facts.unjudged.end()) node.not_judged = unjudged->second;
    places[record.node.id] = status.nodes.size();
    status.nodes.push_back(std::move(node));
  }
  for_each_attempt(facts, [&](const TaskRecord&, const Attempt& attempt) {
    const auto place = places.find(attempt.node);
    if (place == places.end()) return;
    NodeStatus& node = status.nodes[place->second];
    if (attempt.end == AttemptEnd::kRunning) ++node.running;
    if (is_finish(attempt.end)) ++node.finished;
    if (attempt.end == AttemptEnd::kLost) ++node.lost;
  });
}

}  // namespace

CampaignFacts read_campaign(FleetStore& store, const std::string& name) {
  CampaignFacts facts;
  facts.campaign = store.campaign(name);
  for (CampaignSummary& summary : store.campaigns())
    if (summary.name == name) facts.summary = std::move(summary);
  facts.tasks = store.tasks(name);
  facts.nodes = store.nodes();
  facts.suspects = suspect_nodes(facts.nodes);
  facts.unjudged = unjudged_nodes(facts.nodes);
  facts.now_ms = store.now_ms();
  return facts;
}

std::uint64_t CampaignStatus::task_count() const {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : tasks) sum += count;
  return sum;
}

bool CampaignStatus::is_over() const {
  return tasks.at(TaskState::kOpen) == 0 && tasks.at(TaskState::kLeased) == 0;
}

CampaignStatus campaign_status(const CampaignFacts& facts) {
  CampaignStatus status;
  status.name = facts.campaign.name;
  status.digest = facts.summary.digest;
  status.added_ms = facts.summary.added_ms;
  status.cancelled = facts.summary.cancelled;
  status.now_ms = facts.now_ms;
  add_tasks(facts, status);
  add_attempts(facts, status);
  add_nodes(facts, status);
  status.unfit = unfit_classes(facts);
  status.rates = rates_of(facts, status.is_over());
  if (!status.is_over()) status.end = expected_end(facts, status);
  return status;
}

std::string node_name(const std::vector<NodeStatus>& nodes, const std::string& id) {
  for (const NodeStatus& node : nodes)
    if (node.node.id == id) return node.node.name;
  return id;
}

}  // namespace warptune::fleet
