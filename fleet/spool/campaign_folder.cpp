#include "fleet/spool/campaign_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/error.h"
#include "fleet/spool/json_files.h"

namespace warptune::fleet::spool {

namespace {

// A task whose file is missing may have had a lease that left no record. Its next fence is larger by so much.
constexpr std::uint64_t kSpareFences = 1000;
constexpr const char* kCampaignFile = "campaign.json";

const std::set<TaskState> kCancellable{TaskState::kOpen, TaskState::kLeased, TaskState::kQuarantined};
const std::set<TaskState> kRetriable{TaskState::kFailed, TaskState::kQuarantined, TaskState::kCancelled};

StoredCampaign read_campaign(const Folder& folder) {
  std::string problem = "its content does not fit its hash";
  const auto text = folder.read(kCampaignFile);
  if (!text) problem = "the file is missing";
  auto stored = text ? parse_json<StoredCampaign>(*text, problem) : std::nullopt;
  if (stored && stored->campaign.digest() == stored->digest) {
    stored->campaign.require_valid();
    return std::move(*stored);
  }
  throw base::InputError("this folder holds no campaign, or a damaged one: " + problem,
                         {(folder.path() / kCampaignFile).string(), 0, 0});
}

void remove_new(const Folder& campaigns, const std::string& name) {
  std::error_code ignored;
  std::filesystem::remove_all(campaigns.path() / name, ignored);
}

}  // namespace

// Adding and reading
// ----------------------------------------------------------------------------------------------------

bool CampaignFolder::add(const Folder& campaigns, const Campaign& campaign, std::int64_t now_ms) {
  if (campaigns.find(campaign.name)) return false;
  const std::string name = ".new-" + Folder::token();
  try {
    const Folder folder = campaigns.made(name);
    TaskFiles::make(folder, campaign);
    folder.replace(kCampaignFile, json_text(StoredCampaign{campaign.digest(), now_ms, campaign}));
    folder.sync();
    if (campaigns.move_folder(name, campaign.name)) {
      campaigns.sync();
      return true;
    }
  } catch (const base::MachineError&) {
    remove_new(campaigns, name);
    throw;
  }
  remove_new(campaigns, name);
  return false;
}

CampaignFolder::CampaignFolder(Folder folder, bool writes)
    : folder_(std::move(folder)),
      writes_(writes),
      stored_(read_campaign(folder_)),
      random_(std::random_device{}()) {}

std::vector<std::optional<TaskFile>> CampaignFolder::settled_scan(TaskFiles& files, std::int64_t now_ms) {
  eras_.refresh(folder_);
  if (writes_) {
    if (!eras_.is_settled(folder_)) files.settle(now_ms);
    for (const TaskFile& leased : files.leased_tasks())
      if (files.attempts().has_ended(leased.task, leased.fence)) files.complete(leased);
  }
  auto found = files.scan();
  const bool complete =
      std::all_of(found.begin(), found.end(), [](const auto& file) { return file.has_value(); });
  if (!complete) files.attempts().read_all(attempts_);
  const bool settled = std::all_of(found.begin(), found.end(), [&](const auto& file) {
    return !file || files.state_of(*file) == file->state;
  });
  if (settled || !writes_) return found;
  files.settle(now_ms);
  return files.scan();
}

std::uint64_t CampaignFolder::last_fence(std::uint64_t task) const {
  const auto after = attempts_.upper_bound({task, UINT64_MAX});
  return after != attempts_.begin() && std::prev(after)->first.first == task ? std::prev(after)->first.second
                                                                             : 0;
}

TaskState CampaignFolder::state_of(const TaskFiles& files, const std::optional<TaskFile>& file,
                                   std::uint64_t task) {
  if (file && file->state != TaskState::kLeased) return files.state_of(*file);
  // A task whose lease has ended, or whose file is missing, has the state that its last record says.
  std::optional<AttemptEnd> last;
  if (file) {
    const auto attempt = files.attempts().find(task, file->fence);
    if (!attempt) return files.state_of(*file);
    last = attempt->end;
  } else if (const auto record = attempts_.find({task, last_fence(task)}); record != attempts_.end()) {
    last = record->second.end;
  }
  if (last == AttemptEnd::kDone) return TaskState::kDone;
  if (last == AttemptEnd::kFailed) return TaskState::kFailed;
  if (eras_.cancelled()) return TaskState::kCancelled;
  return file ? TaskState::kOpen : TaskState::kQuarantined;
}

CampaignSummary CampaignFolder::summary(std::int64_t now_ms) {
  TaskFiles files = this->files();
  CampaignSummary summary{stored_.campaign.name, stored_.digest, stored_.added_ms};
  const auto found = settled_scan(files, now_ms);
  for (std::uint64_t task = 0; task < found.size(); ++task)
    ++summary.tasks[state_of(files, found[task], task)];
  summary.cancelled = eras_.cancelled();
  return summary;
}

void CampaignFolder::add_running(const TaskFiles& files, const TaskFile& leased, TaskRecord& record) const {
  if (!record.attempts.empty() && record.attempts.back().fence >= leased.fence) return;
  Attempt attempt{leased.fence, leased.node, AttemptEnd::kRunning, {}, leased.started_ms};
  if (files.state_of(leased) == TaskState::kCancelled) attempt.end = AttemptEnd::kCancelled;
  record.attempts.push_back(attempt);
}

std::vector<TaskRecord> CampaignFolder::tasks(std::int64_t now_ms) {
  TaskFiles files = this->files();
  const auto found = settled_scan(files, now_ms);
  files.attempts().read_all(attempts_);
  std::vector<TaskRecord> records(found.size());
  for (const auto& [key, attempt] : attempts_)
    if (key.first < records.size()) records[key.first].attempts.push_back(attempt);
  for (std::uint64_t task = 0; task < found.size(); ++task) {
    records[task].task = task;
    records[task].state = state_of(files, found[task], task);
    if (found[task] && found[task]->state == TaskState::kLeased)
      add_running(files, *found[task], records[task]);
  }
  return records;
}

// What people want
// ----------------------------------------------------------------------------------------------------

std::uint64_t CampaignFolder::count(TaskFiles& files, std::int64_t now_ms,
                                    const std::set<TaskState>& states) {
  const auto found = settled_scan(files, now_ms);
  std::uint64_t counted = 0;
  for (std::uint64_t task = 0; task < found.size(); ++task)
    counted += states.count(state_of(files, found[task], task));
  return counted;
}

std::uint64_t CampaignFolder::cancel(std::int64_t now_ms) {
  TaskFiles files = this->files();
  const std::uint64_t cancelled = count(files, now_ms, kCancellable);
  if (cancelled == 0) return 0;
  eras_.begin(folder_, true, false);
  files.settle(now_ms);
  return cancelled;
}

std::uint64_t CampaignFolder::retry(std::int64_t now_ms) {
  TaskFiles files = this->files();
  const std::uint64_t opened = count(files, now_ms, kRetriable);
  const auto found = files.scan();
  for (std::uint64_t task = 0; task < found.size(); ++task)
    if (!found[task] && state_of(files, found[task], task) != TaskState::kDone)
      files.restore(task, last_fence(task) + kSpareFences);
  if (opened > 0 || eras_.cancelled()) eras_.begin(folder_, false, opened > 0);
  files.settle(now_ms);
  return opened + files.reopen_damaged(batches());
}

// Leases
// ----------------------------------------------------------------------------------------------------

bool CampaignFolder::prepare(std::int64_t now_ms) {
  TaskFiles files = this->files();
  eras_.refresh(folder_);
  if (!eras_.is_settled(folder_)) files.settle(now_ms);
  if (eras_.cancelled()) return false;
  for (const TaskFile& leased : files.leased_tasks()) {
    for (const bool current : {false, true}) {
      const auto renewed = files.renewed_ms(leased, current);
      if (!renewed || now_ms - *renewed <= kLeaseMs) break;
      if (!current) continue;
      files.end(leased, AttemptEnd::kLost,
                fmt::format("no heartbeat came for {} s", (now_ms - *renewed) / 1000), std::nullopt, now_ms);
    }
  }
  return !eras_.cancelled();
}

std::vector<OpenClass> CampaignFolder::open_classes(std::int64_t now_ms) {
  TaskFiles files = this->files();
  eras_.refresh(folder_);
  // Without this, a campaign whose retry was interrupted would look as if nothing was left to do.
  if (writes_ && !eras_.is_settled(folder_)) files.settle(now_ms);
  if (eras_.cancelled()) return {};
  std::vector<OpenClass> classes;
  for (std::uint64_t index = 0; index < stored_.campaign.classes.size(); ++index)
    classes.push_back(
        {{stored_.campaign.name, index}, stored_.campaign.classes[index], files.open_tasks(index).size(), 0});
  for (const TaskFile& leased : files.leased_tasks())
    ++classes.at(stored_.campaign.tasks.at(leased.task).class_index).leased;
  classes.erase(std::remove_if(classes.begin(), classes.end(),
                               [](const OpenClass& one) { return one.open == 0 && one.leased == 0; }),
                classes.end());
  return classes;
}

std::optional<Lease> CampaignFolder::lease(const std::string& node_id, std::uint64_t class_index,
                                           const std::set<TaskKey>& refused) {
  if (class_index >= stored_.campaign.classes.size()) return std::nullopt;
  const TaskFiles files = this->files();
  std::vector<TaskFile>& open = open_[class_index];
  const bool listed = open.empty();
  for (bool again = listed;; again = true) {
    if (again) {
      open = files.open_tasks(class_index);
      std::shuffle(open.begin(), open.end(), random_);  // So that nodes rarely try the same task.
    }
    while (!open.empty()) {
      const TaskFile file = open.back();
      open.pop_back();
      if (refused.contains({stored_.campaign.name, file.task})) continue;
      const auto leased = files.lease(file, node_id);
      if (!leased) continue;
      leases_[{leased->task, leased->fence}] = *leased;
      return Lease{{stored_.campaign.name, leased->task, leased->fence},
                   stored_.campaign.classes[class_index],
                   stored_.campaign.tasks[leased->task]};
    }
    if (again) return std::nullopt;
  }
}

std::optional<TaskFile> CampaignFolder::known_lease(const TaskFiles& files, const LeaseKey& key) {
  if (const auto known = leases_.find({key.task, key.fence}); known != leases_.end()) return known->second;
  return files.find_leased(key.task, key.fence);
}

LeaseState CampaignFolder::heartbeat(const std::string& node_id, const LeaseKey& key, std::int64_t now_ms) {
  TaskFiles files = this->files();
  eras_.refresh(folder_);
  const auto leased = known_lease(files, key);
  if (leased && leased->node == node_id) {
    if (eras_.cancelled()) files.end(*leased, AttemptEnd::kCancelled, {}, {}, now_ms);
    const bool renewed = files.renew(*leased);
    if (renewed && !files.attempts().has_ended(key.task, key.fence)) return LeaseState::kHeld;
    // A process was killed after it had ended the lease.
    if (renewed) files.complete(*leased);
  }
  leases_.erase({key.task, key.fence});
  const auto attempt = files.attempts().find(key.task, key.fence);
  const bool cancelled = attempt && attempt->node == node_id && attempt->end == AttemptEnd::kCancelled;
  return cancelled ? LeaseState::kCancelled : LeaseState::kLost;
}

bool CampaignFolder::finish(const std::string& node_id, const LeaseKey& key, const TaskOutcome& outcome,
                            std::int64_t now_ms) {
  TaskFiles files = this->files();
  eras_.refresh(folder_);
  const auto leased = known_lease(files, key);
  leases_.erase({key.task, key.fence});
  if (leased && leased->node == node_id) {
    const bool cancelled = eras_.cancelled();
    const AttemptEnd closes = outcome.failed ? AttemptEnd::kFailed : AttemptEnd::kDone;
    // A lease that this connection remembers may have ended: then there is a record, which stays.
    files.end(*leased, cancelled ? AttemptEnd::kCancelled : closes, {},
              cancelled ? std::nullopt : std::optional(outcome), now_ms);
  }
  const auto attempt = files.attempts().find(key.task, key.fence);
  if (!attempt || attempt->node != node_id) return false;
  if (attempt->end == AttemptEnd::kDone || attempt->end == AttemptEnd::kFailed) return true;
  files.attempts().add_report(key.task, key.fence, outcome);
  return false;
}

void CampaignFolder::give_back(const std::string& node_id, const LeaseKey& key, AttemptEnd end,
                               const std::string& reason, std::int64_t now_ms) {
  TaskFiles files = this->files();
  eras_.refresh(folder_);
  const auto leased = known_lease(files, key);
  leases_.erase({key.task, key.fence});
  if (leased && leased->node == node_id) files.end(*leased, end, reason, std::nullopt, now_ms);
}

}  // namespace warptune::fleet::spool
