// A campaign in a spool, with what a connection remembers of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/fleet_store.h"
#include "fleet/spool/attempt_files.h"
#include "fleet/spool/batch_files.h"
#include "fleet/spool/eras.h"
#include "fleet/spool/folder.h"
#include "fleet/spool/task_files.h"

namespace warptune::fleet::spool {

/// The file `campaign.json`.
struct StoredCampaign {
  std::string digest;
  std::int64_t added_ms = 0;
  Campaign campaign;
};

template <model::MaybeConst<StoredCampaign> Object, class Visit>
void visit_fields(Object& stored, Visit&& visit) {
  visit("digest", stored.digest);
  visit("added_ms", stored.added_ms);
  visit("campaign", stored.campaign);
}

/// `now_ms` is Unix time by the store's clock.
class CampaignFolder {
 public:
  /// Adds a campaign as a whole: its folder is made under another name and renamed. Returns false if there is
  /// one of its name already.
  static bool add(const Folder& campaigns, const Campaign& campaign, std::int64_t now_ms);
  /// Throws `base::InputError` if the folder holds no campaign or a damaged one.
  CampaignFolder(Folder folder, bool writes);
  /// Takes the folder as it was opened for this operation.
  void reopen(Folder folder) { folder_ = std::move(folder); }
  const Folder& folder() const { return folder_; }

  const StoredCampaign& stored() const { return stored_; }
  CampaignSummary summary(std::int64_t now_ms);
  std::vector<TaskRecord> tasks(std::int64_t now_ms);
  std::uint64_t cancel(std::int64_t now_ms);
  std::uint64_t retry(std::int64_t now_ms);

  /// Ends leases that were not renewed in time, and does what killed processes have left to do. Returns
  /// whether tasks may be leased: the campaign is not cancelled.
  bool prepare(std::int64_t now_ms);
  std::vector<OpenClass> open_classes(std::int64_t now_ms);
  /// Leases a task of one class that is not refused, after `prepare`.
  std::optional<Lease> lease(const std::string& node_id, std::uint64_t class_index,
                             const std::set<TaskKey>& refused);
  LeaseState heartbeat(const std::string& node_id, const LeaseKey& key, std::int64_t now_ms);
  bool finish(const std::string& node_id, const LeaseKey& key, const TaskOutcome& outcome,
              std::int64_t now_ms);
  void give_back(const std::string& node_id, const LeaseKey& key, AttemptEnd end, const std::string& reason,
                 std::int64_t now_ms);

  BatchFiles batches() { return BatchFiles(folder_, stored_.campaign.name, log_end_); }

 private:
  TaskFiles files() { return TaskFiles(folder_, stored_.campaign, eras_); }
  std::vector<std::optional<TaskFile>> settled_scan(TaskFiles& files, std::int64_t now_ms);
  TaskState state_of(const TaskFiles& files, const std::optional<TaskFile>& file, std::uint64_t task);
  std::uint64_t last_fence(std::uint64_t task) const;
  std::uint64_t count(TaskFiles& files, std::int64_t now_ms, const std::set<TaskState>& states);
  void add_running(const TaskFiles& files, const TaskFile& leased, TaskRecord& record) const;
  std::optional<TaskFile> known_lease(const TaskFiles& files, const LeaseKey& key);

  Folder folder_;
  bool writes_;
  StoredCampaign stored_;
  Eras eras_;
  std::uint64_t log_end_ = 0;
  std::map<AttemptFiles::Key, Attempt> attempts_;
  std::map<std::uint64_t, std::vector<TaskFile>> open_;  ///< As last listed; others may have leased them.
  std::map<AttemptFiles::Key, TaskFile> leases_;         ///< Those that this connection has.
  std::mt19937_64 random_;
};

}  // namespace warptune::fleet::spool
