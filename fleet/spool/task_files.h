// The files of a campaign's tasks. Each task has one, whose folder and name are its state.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fleet/campaign.h"
#include "fleet/spool/attempt_files.h"
#include "fleet/spool/batch_files.h"
#include "fleet/spool/eras.h"
#include "fleet/spool/folder.h"
#include "fleet/spool/task_file.h"

namespace warptune::fleet::spool {

/// Files lie in `open/CLASS`, `leased` and `closed`. A task goes from one state to another by one rename of
/// the exact name. If several processes try, one succeeds, and the others find that the file is gone.
class TaskFiles {
 public:
  TaskFiles(const Folder& folder, const Campaign& campaign, Eras& eras);

  /// Makes the folders and files of a campaign in a folder that nobody else knows yet.
  static void make(const Folder& folder, const Campaign& campaign);

  const AttemptFiles& attempts() const { return attempts_; }
  std::vector<TaskFile> open_tasks(std::uint64_t class_index) const;
  std::vector<TaskFile> leased_tasks() const;
  /// The leased file of an attempt; std::nullopt if it is not there.
  std::optional<TaskFile> find_leased(std::uint64_t task, std::uint64_t fence) const;

  /// Leases a task that was listed as open. std::nullopt if another process was faster.
  std::optional<TaskFile> lease(const TaskFile& open, const std::string& node) const;
  /// Renews a lease. Returns false if its file is gone.
  bool renew(const TaskFile& leased) const { return leased_.touch(leased.name()); }
  /// When a lease was renewed, by the store's clock; std::nullopt if its file is gone.
  std::optional<std::int64_t> renewed_ms(const TaskFile& leased, bool current) const;
  /// Ends a lease and its attempt, and gives the task its next state. Returns false if it has ended already.
  bool end(const TaskFile& leased, AttemptEnd end, const std::string& reason,
           const std::optional<TaskOutcome>& outcome, std::int64_t now_ms);
  /// Gives a task whose attempt has ended its next state, if the process that ended it has not.
  void complete(const TaskFile& leased);

  /// The state of a task whose file has this name, in the current era.
  TaskState state_of(const TaskFile& file) const;
  /// Makes the file of an open task whose file is missing. Losses up to `fence` do not count.
  void restore(std::uint64_t task, std::uint64_t fence) const;
  /// Opens done tasks again that have a damaged batch, and logs which. `batches` are those of the campaign.
  /// Batches of leases before an earlier retry do not count. Returns how many tasks were opened.
  std::uint64_t reopen_damaged(const BatchFiles& batches) const;
  /// Renames all files as the current era says.
  void settle(std::int64_t now_ms);
  /// The file of each task. A task whose file is missing has none here, which is logged.
  std::vector<std::optional<TaskFile>> scan() const;

 private:
  std::vector<TaskFile> listed(const Folder& folder, bool (*fits)(const TaskFile&)) const;
  bool is_to_be_quarantined_after(const TaskFile& leased) const;
  TaskFile next_file(const TaskFile& leased, AttemptEnd end) const;
  void move_from(const Folder& folder, const TaskFile& from, const TaskFile& to) const;
  bool settle_once(std::int64_t now_ms);

  const Campaign& campaign_;
  Folder folder_;
  Eras& eras_;
  AttemptFiles attempts_;
  Folder open_;
  Folder leased_;
  Folder closed_;
};

}  // namespace warptune::fleet::spool
