// Beside the database lies the list of batches that it holds. A batch is written into the list after it was
// merged. If a process is killed in between, the batch is merged once more, which changes nothing.
#include "fleet/rows/snapshot.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <map>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/unique_handle.h"
#include "fleet/rows/row_batch.h"
#include "fleet/suspicion.h"

namespace warptune::fleet::rows {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRemedy = "let XDG_CACHE_HOME name a folder that you can write";
constexpr std::string_view kFirstLine = "warptune snapshot 1";

struct DescriptorTraits {
  using Handle = int;
  static int null() { return -1; }
  static void close(int descriptor) { ::close(descriptor); }
};

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
  base::UniqueHandle<DescriptorTraits> file_;
};

// What became of a batch.
enum class Fate : char { kMerged = 'm', kWithheld = 'w', kDamaged = 'd' };

// The batches that a snapshot has seen, and the cursor behind them, as a text file. Each line is `c CURSOR`,
// `o ORIGIN`, or a fate and a batch. Later lines replace earlier ones.
class SeenBatches {
 public:
  explicit SeenBatches(fs::path path) : path_(std::move(path)) {
    std::error_code ignored;
    if (fs::exists(path_, ignored)) read(base::read_file(path_));
  }

  const std::map<BatchName, Fate>& all() const { return seen_; }
  const std::string& origin() const { return origin_; }
  const std::string& cursor() const { return cursor_; }

  void note(const BatchName& name, Fate fate) {
    const auto known = seen_.find(name);
    if (known != seen_.end() && known->second == fate) return;
    seen_[name] = fate;
    added_ += fmt::format("{} {} {} {} {} {}\n", static_cast<char>(fate), name.lease.campaign,
                          name.lease.task, name.lease.fence, name.node, name.sequence);
  }
  void set_origin(const std::string& origin) {
    if (origin == origin_) return;
    origin_ = origin;
    added_ += fmt::format("o {}\n", origin);
  }
  void set_cursor(const std::string& cursor) {
    if (cursor == cursor_) return;
    cursor_ = cursor;
    added_ += fmt::format("c {}\n", cursor);
  }
  // Appends what was noted since the last call.
  void save() {
    if (added_.empty()) return;
    text_ = (text_.empty() ? std::string(kFirstLine) + "\n" : text_) + added_;
    added_.clear();
    base::write_file_atomically(path_, text_);
  }

 private:
  void read(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    if (!std::getline(lines, line) || line != kFirstLine)
      return;  // Another version: everything is merged again.
    text_ = text;
    while (std::getline(lines, line)) {
      if (line.starts_with("o ")) {
        origin_ = line.substr(2);
        continue;
      }
      if (line.starts_with("c ")) {
        cursor_ = line.substr(2);
        continue;
      }
      std::istringstream fields(line);
      char fate = 0;
      BatchName name;
      if (fields >> fate >> name.lease.campaign >> name.lease.task >> name.lease.fence >> name.node >>
          name.sequence)
        seen_[name] = static_cast<Fate>(fate);
    }
  }

  fs::path path_;
  std::map<BatchName, Fate> seen_;
  std::string cursor_;
  std::string origin_;
  std::string text_;
  std::string added_;
};

fs::path beside(const fs::path& target, const char* suffix) { return target.string() + suffix; }

void remove_snapshot(const fs::path& target) {
  std::error_code ignored;
  for (const char* suffix : {".batches", "", "-wal", "-shm"}) fs::remove(beside(target, suffix), ignored);
}

// What tells a store from another one that was made later at the same address: its oldest campaign, with the
// time at which it was added. Campaigns are never removed. Empty for a store without campaigns.
std::string origin_of(FleetStore& store) {
  std::optional<std::pair<std::int64_t, std::string>> oldest;
  for (const CampaignSummary& campaign : store.campaigns()) {
    std::pair<std::int64_t, std::string> one{campaign.added_ms, campaign.name};
    if (!oldest || one < *oldest) oldest = std::move(one);
  }
  return oldest ? fmt::format("{} {}", oldest->first, oldest->second) : "";
}

bool is_plain(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  });
}

class SnapshotUpdate {
 public:
  SnapshotUpdate(FleetStore& store, const fs::path& target, const std::optional<std::string>& own_node)
      : store_(store), target_(target), suspects_(suspect_nodes(store.nodes())) {
    if (own_node) suspects_.erase(*own_node);
  }

  SnapshotCounts run(const BatchFilter& filter) {
    if (!db::Store::exists(target_)) remove_snapshot(target_);
    std::optional<SeenBatches> seen(std::in_place, beside(target_, ".batches"));
    const std::string origin = origin_of(store_);
    const bool is_of_another_store = !seen->origin().empty() && seen->origin() != origin;
    if (is_of_another_store || holds_rows_of_suspects(*seen)) {
      remove_snapshot(target_);
      seen.emplace(beside(target_, ".batches"));
    }
    db::Store database(target_);
    const std::map<BatchName, Fate> before = seen->all();
    for (const auto& [name, fate] : before)
      if (fate != Fate::kMerged) take(database, *seen, name);
    const BatchList list = store_.batches(filter, seen->cursor());
    for (const BatchName& name : list.batches)
      if (!seen->all().contains(name)) take(database, *seen, name);
    seen->set_origin(origin);
    seen->set_cursor(list.cursor);
    seen->save();
    return counts_;
  }

 private:
  bool holds_rows_of_suspects(const SeenBatches& seen) const {
    for (const auto& [name, fate] : seen.all())
      if (fate == Fate::kMerged && suspects_.contains(name.node)) return true;
    return false;
  }

  void take(db::Store& database, SeenBatches& seen, const BatchName& name) {
    if (suspects_.contains(name.node)) {
      ++counts_.withheld;
      seen.note(name, Fate::kWithheld);
      return;
    }
    if (!is_plain(name.lease.campaign) || !is_plain(name.node)) return;  // It could forge lines of the list.
    Fate fate = Fate::kMerged;
    try {
      const db::MergeCounts merged = merge_batch(database, store_.batch(name), target_.parent_path());
      ++counts_.batches;
      counts_.rows += merged.added + merged.updated;
    } catch (const base::InputError& error) {
      // It may be repaired, or be read by a newer version. It is said once.
      if (!seen.all().contains(name))
        base::log_warning(fmt::format("batch {} of task {} of {}, by node {}, is left out: {}", name.sequence,
                                      name.lease.task, name.lease.campaign, name.node, error.what()));
      ++counts_.damaged;
      fate = Fate::kDamaged;
    }
    seen.note(name, fate);
    if (++unsaved_ % kSaveInterval == 0) seen.save();
  }

  static constexpr std::uint64_t kSaveInterval =
      256;  // Batches. A killed update merges at most so many again.

  FleetStore& store_;
  const fs::path& target_;
  std::map<std::string, std::string> suspects_;
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
  return SnapshotUpdate(store, target, own_node).run(filter);
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
