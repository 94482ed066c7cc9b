// A node: a process that runs tasks of campaigns on the GPUs of one machine.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancellation.h"
#include "fleet/fleet_store.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/nodes/lease_keeper.h"
#include "tuner/nodes/outbox.h"

namespace warptune::tuner::nodes {

struct NodeOptions {
  StoreOpener store;
  std::string name{};  ///< Empty: the machine's name.
  std::filesystem::path state{};
  gpus::DeviceChoice devices{true, {}};
  std::size_t compile_workers = 0;  ///< The sum over all GPUs. 0: one for each core.
  std::filesystem::path compile_cache{};
  std::optional<std::filesystem::path> allowed_signers{};
  bool until_done = false;              ///< Ends when the store has no task that this node could run.
  std::optional<double> idle_exit_s{};  ///< Ends a GPU's slot after this time without a task.
  std::optional<std::filesystem::path> replay{};  ///< A folder of recordings that stand for GPUs.
  double pace = 1.0;  ///< Seconds for each recorded second in a replay; 0: at once.
  std::chrono::milliseconds publish_interval{5000};  ///< The shortest one; see `PublishPace`.
  std::chrono::milliseconds poll_interval{2000};     ///< How often a GPU without a task asks for one.
  std::chrono::milliseconds heartbeat_interval{fleet::kHeartbeatMs};
  std::uint64_t full_outbox_bytes = Outbox::kFullBytes;
  /// A task is only taken if the disk of `state` has so much free space.
  std::uint64_t min_free_bytes = std::uint64_t{32} << 20;
};

/// What a node tells people and programs while it runs.
struct NodeEvent {
  enum class Kind {
    kEntered,        ///< `text` has the node's name and GPUs.
    kRefused,        ///< `text` says why the node runs no task of a class.
    kRoofsMeasured,  ///< The roofs of a GPU were measured.
    kTaskBegan,      ///< A task was leased, and its session begins. `text` has the kernel and its sizes.
    kPublished,      ///< The store got batches of a running session.
    kTaskEnded,      ///< `text` says how.
    kStoreAway,      ///< `text` says why. The node tries again.
    kStoreBack,
    kOutboxFull,  ///< The node takes no task until the store has got rows, or the disk of `state` has room.
    kSlotEnded,   ///< A GPU is not used any more; `text` says why.
    kDelivered    ///< What an earlier process or a store that was away had left was delivered.
  };
  Kind kind = Kind::kEntered;
  std::string campaign{};               ///< Empty if the event belongs to no campaign.
  std::optional<std::uint64_t> task{};  ///< Its index in the campaign.
  std::optional<int> gpu{};             ///< The ordinal; empty if the event belongs to no GPU.
  std::string text{};
  /// Batches that the store got (kPublished, kDelivered, kTaskEnded), and their size in bytes.
  std::uint64_t batches = 0;
  std::uint64_t bytes = 0;
  std::optional<AttemptReport> report{};  ///< Only with kTaskEnded.
  bool reported = false;                  ///< Whether the store has the report.
  bool closed = false;                    ///< Whether the report has closed the task.
};
/// `entered`, `refused`, `roofs_measured` and so on.
std::string_view to_string(NodeEvent::Kind kind);
using NodeListener = std::function<void(const NodeEvent&)>;

/// How a node ended. An attempt counts when the store has its report.
struct NodeEnd {
  std::uint64_t done = 0;         ///< Tasks that its reports have closed as done.
  std::uint64_t failed = 0;       ///< Tasks that its reports have closed as failed.
  std::uint64_t other = 0;        ///< Attempts that ended in any other way.
  std::uint64_t undelivered = 0;  ///< Attempts whose rows or report wait in the state folder for the store.
  bool interrupted = false;
  bool gpus_failed = false;  ///< No GPU was usable at the end.
};

/// Runs a node until `stop` is cancelled, or until it ends as its options say. When it is stopped, sessions
/// are interrupted, their rows are published, and their leases are given back. `listener` is called by one
/// thread at a time. If the store is away at the start, the node waits for it, at most `idle_exit_s`. Throws
/// `base::InputError` if another node uses the state folder, and for a store that waiting does not mend: a
/// wrong password or version, or a folder without a spool. Throws `base::MachineError` if there is no GPU,
/// or if the store was away for `idle_exit_s`.
NodeEnd run_node(const NodeOptions& options, const NodeListener& listener, const base::Cancellation& stop);

}  // namespace warptune::tuner::nodes
