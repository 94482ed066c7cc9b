// A store of campaigns in memory, which can be away, and whose leases can be taken away.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "fleet/fleet_store.h"

namespace warptune::tuner::testing {

/// What all connections share. Tests look at it when no node runs, or hold `mutex`.
struct MemoryState {
  std::mutex mutex;
  bool away = false;  ///< Every call throws.
  bool is_private = true;
  /// Called at each publication, under the mutex.
  std::function<void(MemoryState&)> on_publish = [](MemoryState&) {};
  std::optional<std::uint64_t> unpublishable{};  ///< Rows of this task cannot be published.
  fleet::LeaseState heartbeat_answer = fleet::LeaseState::kHeld;
  std::set<std::string> removed{};  ///< Heartbeats for these campaigns are refused.
  bool unlistable = false;          ///< The list of batches is refused.
  std::map<std::string, fleet::Campaign> campaigns;
  std::map<std::string, std::vector<fleet::TaskRecord>> tasks;
  std::map<std::string, std::string> files;
  std::map<std::string, fleet::NodeRecord> nodes;
  std::map<fleet::BatchName, std::string> batches;
  int files_read = 0;     ///< How often `file` was called.
  int max_attempts = 10;  ///< A task with so many attempts is not opened again.
};

class MemoryStore : public fleet::FleetStore {
 public:
  explicit MemoryStore(std::shared_ptr<MemoryState> state) : state_(std::move(state)) {}

  const std::string& address() const override { return address_; }
  std::int64_t now_ms() override { return 1; }
  bool is_private() override { return state_->is_private; }

  void add_campaign(const fleet::Campaign& campaign) override {
    const auto guard = enter();
    state_->campaigns[campaign.name] = campaign;
    std::vector<fleet::TaskRecord>& records = state_->tasks[campaign.name];
    for (std::size_t i = records.size(); i < campaign.tasks.size(); ++i) records.push_back({i});
  }
  std::vector<fleet::CampaignSummary> campaigns() override {
    const auto guard = enter();
    std::vector<fleet::CampaignSummary> summaries;
    for (const auto& [name, campaign] : state_->campaigns) summaries.push_back({name, campaign.digest(), 1});
    return summaries;
  }
  fleet::Campaign campaign(const std::string& name) override {
    const auto guard = enter();
    return state_->campaigns.at(name);
  }
  std::vector<fleet::TaskRecord> tasks(const std::string& campaign) override {
    const auto guard = enter();
    return state_->tasks.at(campaign);
  }
  std::uint64_t cancel(const std::string&) override { return 0; }
  std::uint64_t retry(const std::string&) override { return 0; }
  fleet::RemovedCampaign remove(const std::string&, bool) override { return {}; }

  std::string put_file(std::string_view bytes) override {
    const auto guard = enter();
    const std::string digest = base::hash_hex(bytes);
    state_->files[digest] = bytes;
    return digest;
  }
  std::optional<std::string> file(const std::string& digest) override {
    const auto guard = enter();
    ++state_->files_read;
    const auto found = state_->files.find(digest);
    return found == state_->files.end() ? std::nullopt : std::optional(found->second);
  }

  void enter_node(const fleet::Node& node) override {
    const auto guard = enter();
    state_->nodes[node.id] = {node};
  }
  void leave_node(const std::string& node_id) override {
    const auto guard = enter();
    state_->nodes.at(node_id).has_left = true;
  }
  std::vector<fleet::NodeRecord> nodes() override {
    const auto guard = enter();
    std::vector<fleet::NodeRecord> all;
    for (const auto& [id, record] : state_->nodes) all.push_back(record);
    return all;
  }
  void accept_node(const std::string&) override {}
  void set_refusals(const std::string& node_id, const std::vector<fleet::Refusal>& refusals) override {
    const auto guard = enter();
    state_->nodes.at(node_id).refusals = refusals;
  }

  std::vector<fleet::OpenClass> open_classes() override {
    const auto guard = enter();
    std::vector<fleet::OpenClass> open;
    for (const auto& [name, campaign] : state_->campaigns) {
      for (std::uint64_t i = 0; i < campaign.classes.size(); ++i) {
        fleet::OpenClass one{{name, i}, campaign.classes[i]};
        for (const fleet::TaskRecord& record : state_->tasks[name]) {
          if (campaign.tasks[record.task].class_index != i) continue;
          one.open += record.state == fleet::TaskState::kOpen ? 1 : 0;
          one.leased += record.state == fleet::TaskState::kLeased ? 1 : 0;
        }
        if (one.open + one.leased > 0) open.push_back(one);
      }
    }
    return open;
  }
  using fleet::FleetStore::lease;
  std::optional<fleet::Lease> lease(const std::string& node_id, const std::vector<fleet::ClassKey>& classes,
                                    const std::set<fleet::TaskKey>& refused) override {
    const auto guard = enter();
    for (const fleet::ClassKey& key : classes) {
      const fleet::Campaign& campaign = state_->campaigns.at(key.campaign);
      for (fleet::TaskRecord& record : state_->tasks[key.campaign]) {
        const fleet::Task& task = campaign.tasks[record.task];
        if (record.state != fleet::TaskState::kOpen || task.class_index != key.index) continue;
        if (refused.contains({key.campaign, record.task})) continue;
        record.state = fleet::TaskState::kLeased;
        const std::uint64_t fence = record.attempts.size() + 1;
        record.attempts.push_back({fence, node_id});
        return fleet::Lease{{key.campaign, record.task, fence}, campaign.classes[key.index], task};
      }
    }
    return std::nullopt;
  }
  std::vector<fleet::LeaseState> heartbeat(const std::string&,
                                           const std::vector<fleet::LeaseKey>& leases) override {
    const auto guard = enter();
    for (const fleet::LeaseKey& lease : leases)
      if (state_->removed.contains(lease.campaign))
        throw base::InputError("there is no campaign " + lease.campaign);
    return std::vector<fleet::LeaseState>(leases.size(), state_->heartbeat_answer);
  }
  bool finish(const std::string&, const fleet::LeaseKey& lease, const fleet::TaskOutcome& outcome) override {
    const auto guard = enter();
    fleet::TaskRecord& record = state_->tasks[lease.campaign].at(lease.task);
    fleet::Attempt& attempt = record.attempts.at(lease.fence - 1);
    attempt.outcome = outcome;
    const bool held =
        state_->heartbeat_answer == fleet::LeaseState::kHeld && attempt.end == fleet::AttemptEnd::kRunning;
    attempt.end = !held            ? fleet::AttemptEnd::kSuperseded
                  : outcome.failed ? fleet::AttemptEnd::kFailed
                                   : fleet::AttemptEnd::kDone;
    record.state = !held            ? fleet::TaskState::kQuarantined
                   : outcome.failed ? fleet::TaskState::kFailed
                                    : fleet::TaskState::kDone;
    return held;
  }
  void give_back(const std::string&, const fleet::LeaseKey& lease, fleet::AttemptEnd end,
                 const std::string& reason) override {
    const auto guard = enter();
    fleet::TaskRecord& record = state_->tasks[lease.campaign].at(lease.task);
    fleet::Attempt& attempt = record.attempts.at(lease.fence - 1);
    if (attempt.end != fleet::AttemptEnd::kRunning) return;
    attempt.end = end;
    attempt.reason = reason;
    const bool opens = static_cast<int>(record.attempts.size()) < state_->max_attempts;
    record.state = end == fleet::AttemptEnd::kCancelled ? fleet::TaskState::kCancelled
                   : opens                              ? fleet::TaskState::kOpen
                                                        : fleet::TaskState::kQuarantined;
  }

  void publish(const fleet::BatchName& name, std::string_view bytes) override {
    const auto guard = enter();
    state_->on_publish(*state_);
    require_here();
    if (state_->unpublishable == name.lease.task) throw base::MachineError("no space for rows", "");
    state_->batches.emplace(name, bytes);
  }
  fleet::BatchList batches(const fleet::BatchFilter& filter, const std::string&) override {
    const auto guard = enter();
    if (state_->unlistable) throw base::InputError("the list of batches is damaged");
    fleet::BatchList list;
    for (const auto& [name, bytes] : state_->batches) {
      if (filter.campaign && name.lease.campaign != *filter.campaign) continue;
      if (filter.task && name.lease.task != *filter.task) continue;
      list.batches.push_back(name);
    }
    return list;
  }
  std::string batch(const fleet::BatchName& name) override {
    const auto guard = enter();
    return state_->batches.at(name);
  }

 private:
  std::unique_lock<std::mutex> enter() {
    std::unique_lock guard(state_->mutex);
    require_here();
    return guard;
  }
  void require_here() const {
    if (state_->away) throw base::MachineError("the store is away", "");
  }

  std::shared_ptr<MemoryState> state_;
  std::string address_ = "memory";
};

}  // namespace warptune::tuner::testing
