// Where campaigns, leases and rows of many nodes are kept. docs/fleet-store.md defines what every store
// guarantees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/campaign.h"
#include "fleet/node.h"
#include "fleet/task_record.h"

namespace warptune::fleet {

/// Identifies a lease. A later lease of the same task has a larger fence.
struct LeaseKey {
  std::string campaign;  ///< The campaign's name.
  std::uint64_t task = 0;
  std::uint64_t fence = 0;

  auto operator<=>(const LeaseKey&) const = default;
};

/// A task that a node may run until the lease ends.
struct Lease {
  LeaseKey key;
  TaskClass task_class;
  Task task;
};

/// A class of tasks of a campaign.
struct ClassKey {
  std::string campaign;
  std::uint64_t index = 0;

  auto operator<=>(const ClassKey&) const = default;
};

/// The largest file of a store. It is larger than the largest bundle.
constexpr std::size_t kMaxFileBytes = std::size_t{80} << 20;

/// A task of a campaign.
struct TaskKey {
  std::string campaign;
  std::uint64_t task = 0;

  auto operator<=>(const TaskKey&) const = default;
};

/// A class that has open tasks, or leased tasks whose leases may end.
struct OpenClass {
  ClassKey key;
  TaskClass task_class;
  std::uint64_t open = 0;    ///< Tasks that wait for a node.
  std::uint64_t leased = 0;  ///< Tasks that run.
};

enum class LeaseState {
  kHeld,      ///< It lasts for another `kLeaseMs`.
  kLost,      ///< It has ended. The node stops the session. Rows may still be published.
  kCancelled  ///< A person has cancelled the campaign. The node stops the session and publishes what it has.
};

struct CampaignSummary {
  std::string name;
  std::string digest;
  std::int64_t added_ms = 0;  ///< Unix time by the store's clock.
  bool cancelled = false;
  std::map<TaskState, std::uint64_t>
      tasks{};  ///< How many tasks are in each state; states without tasks are left out.
};

/// Rows of one attempt: a small database, compressed (`rows/row_batch.h`). Batches never change.
struct BatchName {
  LeaseKey lease;
  std::string node;
  /// Orders the batches of the attempt. It is the series of the attempt's database, which is a random number,
  /// times `kBatchesPerSeries`, plus the number of the batch from 0. A store that was restored from a backup
  /// may give the same lease again. Because of the series, no name comes back then.
  std::uint64_t sequence = 0;

  static constexpr std::uint64_t kBatchesPerSeries = std::uint64_t{1} << 20;
  std::uint64_t series() const { return sequence / kBatchesPerSeries; }
  auto operator<=>(const BatchName&) const = default;
};

/// The largest batch of a store, as it is published.
constexpr std::size_t kMaxBatchFileBytes = std::size_t{520} << 20;

/// What was in a campaign that was removed.
struct RemovedCampaign {
  std::uint64_t tasks = 0;
  std::uint64_t batches = 0;

  bool operator==(const RemovedCampaign&) const = default;
};

/// A part of the list of batches.
struct BatchList {
  std::vector<BatchName> batches;
  std::string cursor;  ///< To be given to the next call.
};

/// Which batches are wanted. Empty members select all.
struct BatchFilter {
  std::optional<std::string> campaign{};
  std::optional<std::uint64_t> task{};
};

/// A store of campaigns. Every function may be called again after it failed: doing something twice has the
/// effect of doing it once. One object is used by one thread at a time. Any number of processes on any
/// machines may use the same store.
///
/// All functions throw `base::MachineError` if the store cannot be reached or has no space. They throw
/// `base::InputError` for a campaign that does not exist, and for what the user may not do. Nothing is
/// half-done then.
class FleetStore {
 public:
  virtual ~FleetStore() = default;
  /// The address without a password, for messages.
  virtual const std::string& address() const = 0;
  /// Unix time by the store's clock, in ms.
  virtual std::int64_t now_ms() = 0;
  /// Whether nobody but the user of this process can have written into the store. Definitions need no
  /// signatures then.
  virtual bool is_private() { return false; }

  // Campaigns
  // --------------------------------------------------------------------------------------------------
  /// Adds a campaign with all tasks open. If the same campaign is there already, nothing changes. Throws
  /// `base::InputError` if another campaign has the name.
  virtual void add_campaign(const Campaign& campaign) = 0;
  /// The same for a campaign that only members of a role of the database see, lease and report. Throws
  /// `base::InputError` if the store has no such role, or no roles at all.
  virtual void add_restricted_campaign(const Campaign& campaign, const std::string& role);
  virtual std::vector<CampaignSummary> campaigns() = 0;
  virtual Campaign campaign(const std::string& name) = 0;
  /// All tasks in the order of the campaign.
  virtual std::vector<TaskRecord> tasks(const std::string& campaign) = 0;
  /// Cancels all tasks that are open, leased or quarantined. Returns how many tasks were. If none was, the
  /// campaign has ended, and nothing changes.
  virtual std::uint64_t cancel(const std::string& campaign) = 0;
  /// Opens all tasks that are failed, quarantined or cancelled. Losses of before no longer count. A spool
  /// also opens tasks that are done but have a damaged batch, and logs which (a server has checksums of its
  /// own). Returns how many were opened.
  virtual std::uint64_t retry(const std::string& campaign) = 0;
  /// Removes a campaign with its tasks, attempts and batches of rows. Bundles stay. Nodes that run its tasks
  /// find that their leases are lost. Throws `base::InputError` if tasks are open or leased, unless `force`
  /// is given. Nothing is removed then.
  virtual RemovedCampaign remove(const std::string& campaign, bool force) = 0;

  // Files: bundles of definitions
  // --------------------------------------------------------------------------------------------------
  /// Stores bytes under the hash of their content (`base::hash_hex`), which is returned. There are at most
  /// `kMaxFileBytes`.
  virtual std::string put_file(std::string_view bytes) = 0;
  /// std::nullopt if there is no such file. Throws `base::InputError` if the content does not fit the digest,
  /// or is larger than `kMaxFileBytes`.
  virtual std::optional<std::string> file(const std::string& digest) = 0;

  // Nodes
  // --------------------------------------------------------------------------------------------------
  /// Enters a node, or replaces what is known about it. Its refusals are removed. If a person has accepted
  /// it, it stays accepted.
  virtual void enter_node(const Node& node) = 0;
  /// A node has ended and will send no more heartbeats. Does nothing for a node that is not known.
  virtual void leave_node(const std::string& node_id) = 0;
  virtual std::vector<NodeRecord> nodes() = 0;
  /// A person accepts the measurements of a node although its roofs are unusual.
  virtual void accept_node(const std::string& node_id) = 0;
  /// Replaces the refusals of a node.
  virtual void set_refusals(const std::string& node_id, const std::vector<Refusal>& refusals) = 0;

  // Leases
  // --------------------------------------------------------------------------------------------------
  /// The classes of all campaigns with tasks that are open or leased.
  virtual std::vector<OpenClass> open_classes() = 0;
  /// Leases an open task of one of the classes, of the largest priority that has one. Before that, tasks
  /// whose leases have ended become open or quarantined. std::nullopt if no task of these classes is open
  /// that the node does not refuse.
  virtual std::optional<Lease> lease(const std::string& node_id, const std::vector<ClassKey>& classes,
                                     const std::set<TaskKey>& refused) = 0;
  /// The same for a node that refuses none of these tasks.
  std::optional<Lease> lease(const std::string& node_id, const std::vector<ClassKey>& classes) {
    return lease(node_id, classes, {});
  }
  /// Renews leases, and notes that the node is there. Returns the state of each lease, in order.
  virtual std::vector<LeaseState> heartbeat(const std::string& node_id,
                                            const std::vector<LeaseKey>& leases) = 0;
  /// Closes a task. Returns false if the lease has ended: the outcome is stored with the attempt, which
  /// becomes kSuperseded, but closes nothing. Also returns false for the lease of another node.
  virtual bool finish(const std::string& node_id, const LeaseKey& lease, const TaskOutcome& outcome) = 0;
  /// Ends a lease without an outcome. The task becomes open, or quarantined. `end` is kLost, kGivenBack or
  /// kCancelled. Does nothing if the lease has ended.
  virtual void give_back(const std::string& node_id, const LeaseKey& lease, AttemptEnd end,
                         const std::string& reason) = 0;

  // Rows
  // --------------------------------------------------------------------------------------------------
  /// Stores a batch, also after its lease has ended. A batch that is there already is not changed. Throws
  /// `base::InputError` if the campaign has no such task.
  virtual void publish(const BatchName& name, std::string_view bytes) = 0;
  /// Batches that were published after `cursor` was returned. An empty cursor begins at the first one.
  /// Batches that were listed before may be listed again, but none is ever left out.
  virtual BatchList batches(const BatchFilter& filter, const std::string& cursor) = 0;
  /// Throws `base::InputError` if there is no such batch, or if it is damaged or larger than
  /// `kMaxBatchFileBytes`.
  virtual std::string batch(const BatchName& name) = 0;
};

/// What a process does with a store.
enum class Access {
  kAdministrator,  ///< Makes and migrates the store, adds campaigns, accepts nodes.
  kReader,         ///< Reads only.
  kNode            ///< Leases, heartbeats and reports only.
};

/// Throws `base::InputError` if a campaign has open or leased tasks.
void require_ended(const CampaignSummary& campaign);
/// Throws `base::InputError` for bytes that are too large for `put_file`.
void require_file_size(std::string_view bytes);

/// Opens a store by its address: `spool:FOLDER` or `postgresql://USER@HOST/DATABASE?...` (a connection URI of
/// libpq). Throws `base::InputError` for any other address, for a store that was not made yet, and for one of
/// another version. Throws `base::MachineError` if it cannot be reached. Messages never contain a password.
std::unique_ptr<FleetStore> open_store(const std::string& address, Access access);
/// Makes a store at the address, or migrates the one that is there. Throws as `open_store` does.
std::unique_ptr<FleetStore> make_store(const std::string& address);
/// Whether a text is the address of a store and not a path.
bool is_store_address(std::string_view text);
/// Whether the address of a store contains a password: that of a user or, as `sslpassword`, that of a key.
bool has_password(std::string_view address);

}  // namespace warptune::fleet
