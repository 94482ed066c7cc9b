// Beside the database lies the list of batches that it holds. A batch is written into the list after it was
// merged. If a process is killed in between, the batch is merged once more, which changes nothing.
//
// A snapshot that holds rows which it must not have any more is made again beside the old one. The old one
// answers until all of the new one is there.
#include "fleet/rows/snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "db/row_extract.h"
#include "fleet/names.h"
#include "fleet/rows/batch_owner.h"
#include "fleet/rows/row_batch.h"
#include "fleet/rows/seen_batches.h"
#include "fleet/suspicion.h"

namespace warptune::fleet::rows {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRemedy = "let XDG_CACHE_HOME name a folder that you can write";

// One process at a time brings a snapshot up to date. The lock ends with the process.
class SnapshotLock {
 public:
  explicit SnapshotLock(const fs::path& path)
      : file_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    int failed = file_ ? 0 : -1;
    while (file_ && (failed = ::flock(file_.get(), LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (failed != 0)
      throw base::MachineError(fmt::format("{}: {}", path.string(), std::system_category().message(errno)),
                               kRemedy);
  }

 private:
  base::Descriptor file_;
};

fs::path beside(const fs::path& target, const char* suffix) { return target.string() + suffix; }
fs::path list_of(const fs::path& database) { return beside(database, ".batches"); }

void remove_snapshot(const fs::path& target) {
  std::error_code ignored;
  for (const char* suffix : {".batches", "", "-wal", "-shm"}) fs::remove(beside(target, suffix), ignored);
}

// A snapshot that is being made beside another one.
class NewSnapshot {
 public:
  explicit NewSnapshot(const fs::path& target) : path_(beside(target, ".new")) { remove_snapshot(path_); }
  NewSnapshot(const NewSnapshot&) = delete;
  NewSnapshot& operator=(const NewSnapshot&) = delete;
  ~NewSnapshot() { remove_snapshot(path_); }
  const fs::path& path() const { return path_; }

  // If the process is killed between the two steps, the old list is still there. Because of it, the next
  // update makes the database again.
  void replace(const fs::path& target) const {
    db::replace_content(target, path_);
    std::error_code error;
    fs::rename(list_of(path_), list_of(target), error);
    if (error)
      throw base::MachineError(fmt::format("{}: {}", list_of(target).string(), error.message()), kRemedy);
  }

 private:
  fs::path path_;
};

class SnapshotUpdate {
 public:
  SnapshotUpdate(FleetStore& store, const BatchFilter& filter, const std::optional<std::string>& own_node)
      : store_(store), filter_(filter), suspects_(suspect_nodes(store.nodes())) {
    if (own_node) suspects_.erase(*own_node);
    for (const CampaignSummary& campaign : store.campaigns())
      if (is_campaign_name(campaign.name)) campaigns_.emplace(identity_of(campaign), campaign.name);
  }

  SnapshotCounts run(const fs::path& target) {
    const bool exists = db::Store::exists(target);
    if (!exists) remove_snapshot(target);
    SeenBatches seen(list_of(target));
    if (exists && (!seen.is_known() || holds_too_much(seen))) {
      const NewSnapshot made(target);
      SeenBatches seen_again(list_of(made.path()));
      update(made.path(), seen_again);
      made.replace(target);
    } else {
      update(target, seen);
    }
    return counts_;
  }

 private:
  // Whether it has rows of nodes that have become suspect since. Or of campaigns that this user does not see:
  // they were removed or hidden, or another store was made at the address.
  bool holds_too_much(const SeenBatches& seen) const {
    return std::any_of(seen.all().begin(), seen.all().end(), [&](const auto& one) {
      const auto& [batch, fate] = one;
      return fate == Fate::kMerged &&
             (suspects_.contains(batch.name.node) || !campaigns_.contains(batch.campaign_identity));
    });
  }

  void update(const fs::path& target, SeenBatches& seen) {
    seen.save();  // A database without a list would be made again.
    db::Store database(target);
    for (const auto& [identity, name] : campaigns_) {
      if (filter_.campaign && *filter_.campaign != name) continue;
      try {
        update_campaign(database, seen, identity, name);
      } catch (const base::InputError& error) {  // It was removed meanwhile, or is damaged. Others are read.
        if (filter_.campaign) throw;
        base::log_warning(fmt::format("the campaign {} is left out: {}", name, error.what()));
      }
    }
    seen.save();
  }

  // Each campaign is continued where it was left. So a reader who may see a further campaign gets all of it.
  void update_campaign(db::Store& database, SeenBatches& seen, const std::string& identity,
                       const std::string& campaign) {
    std::vector<SeenBatch> wanted;
    for (const auto& [batch, fate] : seen.all())
      if (fate != Fate::kMerged && batch.campaign_identity == identity) wanted.push_back(batch);
    const BatchList list = store_.batches({campaign, filter_.task}, seen.cursor(identity));
    for (const BatchName& name : list.batches) {
      if (name.lease.campaign != campaign || !is_node_id(name.node))
        continue;  // A store that works correctly lists no such batch.
      SeenBatch batch{identity, name};
      if (!seen.all().contains(batch)) wanted.push_back(std::move(batch));
    }
    std::optional<Campaign> content;
    for (const SeenBatch& batch : wanted) {
      if (suspects_.contains(batch.name.node)) {
        ++counts_.withheld;
        seen.note(batch, Fate::kWithheld);
        continue;
      }
      if (!content) content = store_.campaign(campaign);
      seen.note(batch, take(database, *content, batch, !seen.all().contains(batch)));
      if (++unsaved_ % kSaveInterval == 0) seen.save();
    }
    seen.set_cursor(identity, list.cursor);
  }

  Fate take(db::Store& database, const Campaign& content, const SeenBatch& batch, bool is_new) {
    const BatchName& name = batch.name;
    try {
      const db::RowOwner owner = owner_of(batch.campaign_identity, name, content);
      const db::MergeCounts merged = merge_batch(database, store_.batch(name), owner);
      ++counts_.batches;
      counts_.rows += merged.added + merged.updated;
      return Fate::kMerged;
    } catch (const base::InputError& error) {
      // It may be repaired, or be read by a newer version. It is said once.
      if (is_new) base::log_warning(fmt::format("{} is left out: {}", describe(name), error.what()));
      ++counts_.damaged;
      return Fate::kDamaged;
    }
  }

  static constexpr std::uint64_t kSaveInterval =
      256;  // Batches. A killed update merges at most so many again.

  FleetStore& store_;
  const BatchFilter& filter_;
  std::map<std::string, std::string> suspects_;
  std::map<std::string, std::string> campaigns_;  // Names by identity.
  SnapshotCounts counts_;
  std::uint64_t unsaved_ = 0;
};

}  // namespace

SnapshotCounts update_snapshot(FleetStore& store, const fs::path& target, const BatchFilter& filter,
                               const std::optional<std::string>& own_node) {
  if (const fs::path folder = target.parent_path(); !folder.empty() && !base::make_private_folder(folder))
    throw base::MachineError(fmt::format("{}: {}", folder.string(), std::system_category().message(errno)),
                             kRemedy);
  const SnapshotLock lock(beside(target, ".lock"));
  return SnapshotUpdate(store, filter, own_node).run(target);
}

fs::path snapshot_path(const std::string& address) {
  const fs::path cache = base::cache_folder();
  if (cache.empty())
    throw base::MachineError(
        "the rows of a store are kept in a cache folder, but neither XDG_CACHE_HOME nor HOME is set",
        "set one of them");
  // The same text names another spool in another working folder.
  constexpr std::string_view kSpoolPrefix = "spool:";
  const std::string place =
      address.starts_with(kSpoolPrefix)
          ? fs::absolute(address.substr(kSpoolPrefix.size())).lexically_normal().string()
          : address;
  return cache / "fleet" / (base::hash_hex(place) + ".db");
}

}  // namespace warptune::fleet::rows
