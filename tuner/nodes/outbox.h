// What a node has to tell the store about its attempts, on disk until the store has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/fleet_store.h"

namespace warptune::tuner::nodes {

/// How an attempt has ended, as the node sees it.
struct AttemptReport {
  /// What `FleetStore::finish` gets. Without it, the lease is given back.
  std::optional<fleet::TaskOutcome> outcome{};
  fleet::AttemptEnd end = fleet::AttemptEnd::kGivenBack;  ///< Only without an outcome.
  std::string reason{};                                   ///< Only without an outcome.

  bool operator==(const AttemptReport&) const = default;
};

/// What became of the report of an attempt.
struct Delivery {
  bool reported = false;      ///< The store has the report.
  bool closed = false;        ///< The report has closed the task. False if the lease had ended before.
  bool failed = false;        ///< The report says that the task has failed.
  std::uint64_t batches = 0;  ///< Batches that the store got now.
  std::uint64_t bytes = 0;    ///< Their size.
};

/// A folder with one folder for each attempt: batches of rows that the store has not got yet, and the report
/// if the attempt has ended. A process that is killed leaves them there, and a later one with the same folder
/// delivers them. All members may be called by several threads.
///
/// The outbox is full when its files have `full_bytes`. Then running sessions leave their rows in their
/// databases until they end, and the node takes no task. So the outbox grows by one session for each GPU at
/// most, and nothing is lost.
class Outbox {
 public:
  static constexpr std::uint64_t kFullBytes = std::uint64_t{1} << 30;
  /// How many attempts the folder `refused` has at most (`set_aside`).
  static constexpr std::size_t kMaxRefused = 100;

  /// `folder` exists.
  explicit Outbox(std::filesystem::path folder, std::uint64_t full_bytes = kFullBytes)
      : folder_(std::move(folder)), full_bytes_(full_bytes) {}

  /// Keeps a batch under its number (`BatchWriter::sequence`). Throws `base::MachineError` if it cannot be
  /// written.
  void add_batch(const fleet::LeaseKey& lease, std::string_view bytes, std::uint64_t sequence);
  /// Keeps the report. Throws as above.
  void add_report(const fleet::LeaseKey& lease, const AttemptReport& report);

  bool has_report(const fleet::LeaseKey& lease) const;
  /// The size of all batches in bytes.
  std::uint64_t bytes() const;
  bool is_full() const { return bytes() >= full_bytes_; }

  /// The attempts for which something is kept.
  std::vector<fleet::LeaseKey> leases() const;
  /// Gives the store what is kept for an attempt: first the batches, then the report. Each is removed when
  /// the store has it. Throws `base::MachineError` if the store cannot be reached. Then the rest is kept.
  Delivery deliver(fleet::FleetStore& store, const std::string& node_id, const fleet::LeaseKey& lease);
  /// Moves what is kept for an attempt into the folder `refused` beside this one, because the store refuses
  /// it. Returns its new place. Throws `base::MachineError` if it cannot be moved. The folder keeps the
  /// attempts that were moved last: at most `kMaxRefused`, and at most `full_bytes` besides the last one. The
  /// log says what is removed.
  std::filesystem::path set_aside(const fleet::LeaseKey& lease);

 private:
  std::filesystem::path folder_of(const fleet::LeaseKey& lease) const;

  std::filesystem::path folder_;
  std::uint64_t full_bytes_;
  mutable std::mutex mutex_;                 // Guards `running_`.
  std::set<std::filesystem::path> running_;  // Folders of attempts that this process has begun or taken over.
};

/// The name of an attempt's folder, `CAMPAIGN.TASK.FENCE`, and the lease that such a folder names.
std::string folder_name_of(const fleet::LeaseKey& lease);
std::optional<fleet::LeaseKey> lease_of_folder(const std::filesystem::path& folder);

}  // namespace warptune::tuner::nodes
