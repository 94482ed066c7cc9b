// A spool is opened by its path in each operation: it may have been unmounted and mounted again since the
// last one. What a connection remembers is either immutable or checked when it is used.
#include "fleet/spool/spool_store.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "fleet/names.h"
#include "fleet/spool/cursor.h"
#include "fleet/spool/node_files.h"
#include "fleet/spool/spool_files.h"
#include "fleet/spool/task_file.h"
#include "fleet/spool/warnings.h"

namespace warptune::fleet::spool {

namespace {

constexpr std::size_t kDigestLength = 32;

bool is_digest(const std::string& text) {
  return text.size() == kDigestLength && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

}  // namespace

SpoolStore::SpoolStore(std::filesystem::path folder, Access access)
    : folder_(std::move(folder)), access_(access), address_("spool:" + folder_.string()) {}

Folder SpoolStore::root() const {
  if (auto root = Folder::open(folder_)) return std::move(*root);
  throw base::MachineError(address_ + " cannot be reached: the folder is missing",
                           "check that its file system is mounted");
}

void SpoolStore::require_administrator() const {
  if (access_ == Access::kAdministrator) return;
  throw base::InputError(address_ + " was not opened to manage campaigns");
}

void SpoolStore::require_writer() const {
  if (access_ != Access::kReader) return;
  throw base::InputError(address_ + " was opened for reading only");
}

std::int64_t SpoolStore::now_ms() {
  const Folder folder = root();
  if (access_ != Access::kReader) return written_clock(folder);
  return std::max(base::unix_time_ms(), newest_time(folder));
}

bool SpoolStore::is_private() { return is_private_spool(root()); }

// Campaigns
// ----------------------------------------------------------------------------------------------------

CampaignFolder* SpoolStore::find_campaign(const std::string& name) {
  auto folder = root().at(kCampaignsFolder).find(name);
  const auto known = campaigns_.find(name);
  if (known != campaigns_.end() && folder && folder->is_same(known->second.folder())) {
    known->second.reopen(std::move(*folder));
    return &known->second;
  }
  if (known != campaigns_.end()) campaigns_.erase(known);  // It was removed by hand.
  if (!folder) return nullptr;
  return &campaigns_.emplace(name, CampaignFolder(std::move(*folder), access_ != Access::kReader))
              .first->second;
}

CampaignFolder& SpoolStore::require_campaign(const std::string& name) {
  require_campaign_name(name);
  if (CampaignFolder* found = find_campaign(name)) return *found;
  throw base::InputError(fmt::format("{} has no campaign '{}'", address_, name));
}

std::vector<std::string> SpoolStore::campaign_names() const {
  std::vector<std::string> names = root().at(kCampaignsFolder).names();
  // Somebody else may have made a folder here.
  std::erase_if(names, [](const std::string& name) { return !is_campaign_name(name); });
  std::sort(names.begin(), names.end());
  return names;
}

void SpoolStore::add_campaign(const Campaign& campaign) {
  require_administrator();
  campaign.require_valid();
  const std::int64_t now = now_ms();
  const Folder campaigns = root().at(kCampaignsFolder);
  if (CampaignFolder::add(campaigns, campaign, now)) return;
  if (require_campaign(campaign.name).stored().digest == campaign.digest()) return;
  throw base::InputError(
      fmt::format("{} has another campaign '{}': choose another name", address_, campaign.name));
}

std::vector<CampaignSummary> SpoolStore::campaigns() {
  const std::int64_t now = now_ms();
  std::vector<CampaignSummary> all;
  for (const std::string& name : campaign_names()) {
    try {
      if (CampaignFolder* found = find_campaign(name)) all.push_back(found->summary(now));
    } catch (const base::InputError& error) {
      warn_once(error.what());  // A foreign folder does not hide the campaigns.
    }
  }
  return all;
}

Campaign SpoolStore::campaign(const std::string& name) { return require_campaign(name).stored().campaign; }

std::vector<TaskRecord> SpoolStore::tasks(const std::string& campaign) {
  const std::int64_t now = now_ms();
  return require_campaign(campaign).tasks(now);
}

std::uint64_t SpoolStore::cancel(const std::string& campaign) {
  require_administrator();
  const std::int64_t now = now_ms();
  return require_campaign(campaign).cancel(now);
}

std::uint64_t SpoolStore::retry(const std::string& campaign) {
  require_administrator();
  const std::int64_t now = now_ms();
  return require_campaign(campaign).retry(now);
}

// Files and nodes
// ----------------------------------------------------------------------------------------------------

std::string SpoolStore::put_file(std::string_view bytes) {
  require_administrator();
  require_file_size(bytes);
  std::string digest = base::hash_hex(bytes);
  const Folder folder = root().at(kFilesFolder);
  // A damaged file is replaced.
  if (folder.read(digest) != bytes) folder.replace(digest, bytes);
  return digest;
}

std::optional<std::string> SpoolStore::file(const std::string& digest) {
  if (!is_digest(digest)) return std::nullopt;
  const Folder folder = root().at(kFilesFolder);
  auto bytes = folder.read(digest, kMaxFileBytes);  // A larger one does not fit.
  if (bytes && base::hash_hex(*bytes) != digest)
    throw base::InputError(fmt::format("{}: this file is damaged: its content does not fit its name",
                                       (folder.path() / digest).string()));
  return bytes;
}

void SpoolStore::enter_node(const Node& node) {
  require_writer();
  NodeFiles(root()).enter(node, now_ms());
}

void SpoolStore::leave_node(const std::string& node_id) {
  require_writer();
  NodeFiles(root()).leave(node_id);
}

std::vector<NodeRecord> SpoolStore::nodes() { return NodeFiles(root()).all(); }

void SpoolStore::accept_node(const std::string& node_id) {
  require_administrator();
  NodeFiles(root()).accept(node_id);
}

void SpoolStore::set_refusals(const std::string& node_id, const std::vector<Refusal>& refusals) {
  require_writer();
  NodeFiles(root()).set_refusals(node_id, refusals);
}

// Leases
// ----------------------------------------------------------------------------------------------------

std::vector<OpenClass> SpoolStore::open_classes() {
  const std::int64_t now = now_ms();
  std::vector<OpenClass> classes;
  for (const std::string& name : campaign_names()) {
    try {
      if (CampaignFolder* found = find_campaign(name))
        for (OpenClass& one : found->open_classes(now)) classes.push_back(std::move(one));
    } catch (const base::InputError& error) {
      warn_once(error.what());
    }
  }
  return classes;
}

std::optional<Lease> SpoolStore::lease(const std::string& node_id, const std::vector<ClassKey>& classes,
                                       const std::set<TaskKey>& refused) {
  require_writer();
  require_node_id(node_id);
  const std::int64_t now = now_ms();
  std::map<std::string, CampaignFolder*> running;  // Null: nothing of it may be leased.
  for (const ClassKey& key : classes) {
    if (running.count(key.campaign) != 0) continue;
    require_campaign_name(key.campaign);
    CampaignFolder* found = find_campaign(key.campaign);
    running[key.campaign] = found != nullptr && found->prepare(now) ? found : nullptr;
  }
  std::vector<std::tuple<std::int64_t, CampaignFolder*, std::uint64_t>> candidates;
  for (const ClassKey& key : classes) {
    CampaignFolder* found = running[key.campaign];
    if (found == nullptr || key.index >= found->stored().campaign.classes.size()) continue;
    candidates.emplace_back(found->stored().campaign.classes[key.index].priority, found, key.index);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return std::get<0>(a) > std::get<0>(b); });
  for (const auto& [priority, campaign, index] : candidates)
    if (auto lease = campaign->lease(node_id, index, refused)) return lease;
  return std::nullopt;
}

std::vector<LeaseState> SpoolStore::heartbeat(const std::string& node_id,
                                              const std::vector<LeaseKey>& leases) {
  require_writer();
  NodeFiles(root()).note_seen(node_id);
  std::vector<LeaseState> states;
  const std::int64_t now = leases.empty() ? 0 : now_ms();
  for (const LeaseKey& key : leases) {
    require_campaign_name(key.campaign);
    CampaignFolder* found = find_campaign(key.campaign);
    states.push_back(found == nullptr ? LeaseState::kLost : found->heartbeat(node_id, key, now));
  }
  return states;
}

bool SpoolStore::finish(const std::string& node_id, const LeaseKey& lease, const TaskOutcome& outcome) {
  require_writer();
  const std::int64_t now = now_ms();
  return require_campaign(lease.campaign).finish(node_id, lease, outcome, now);
}

void SpoolStore::give_back(const std::string& node_id, const LeaseKey& lease, AttemptEnd end,
                           const std::string& reason) {
  require_writer();
  const std::int64_t now = now_ms();
  require_campaign(lease.campaign).give_back(node_id, lease, end, reason, now);
}

// Rows
// ----------------------------------------------------------------------------------------------------

void SpoolStore::publish(const BatchName& name, std::string_view bytes) {
  require_writer();
  require_node_id(name.node);
  CampaignFolder& campaign = require_campaign(name.lease.campaign);
  if (name.lease.task >= campaign.stored().campaign.tasks.size())
    throw base::InputError(
        fmt::format("the campaign '{}' has no task {}", name.lease.campaign, name.lease.task));
  campaign.batches().publish(name, bytes);
}

BatchList SpoolStore::batches(const BatchFilter& filter, const std::string& cursor) {
  Cursor position = parse_cursor(cursor);
  BatchList list;
  if (filter.campaign && filter.task) {
    list.batches = require_campaign(*filter.campaign).batches().of_task(*filter.task);
    list.cursor = to_string(position);
    return list;
  }
  for (const std::string& name :
       filter.campaign ? std::vector<std::string>{*filter.campaign} : campaign_names()) {
    try {
      CampaignFolder* found = filter.campaign ? &require_campaign(name) : find_campaign(name);
      if (found != nullptr) position[name] = found->batches().list(position[name], filter, list.batches);
    } catch (const base::InputError& error) {
      if (filter.campaign) throw;
      warn_once(error.what());
    }
  }
  list.cursor = to_string(position);
  return list;
}

std::string SpoolStore::batch(const BatchName& name) {
  require_node_id(name.node);
  return require_campaign(name.lease.campaign).batches().read(name);
}

std::unique_ptr<FleetStore> open_spool_store(const std::filesystem::path& folder, Access access) {
  if (access == Access::kNode) require_writable_spool(folder);
  require_spool(folder);
  return std::make_unique<SpoolStore>(folder, access);
}

std::unique_ptr<FleetStore> make_spool_store(const std::filesystem::path& folder) {
  make_spool(folder);
  return std::make_unique<SpoolStore>(folder, Access::kAdministrator);
}

}  // namespace warptune::fleet::spool
