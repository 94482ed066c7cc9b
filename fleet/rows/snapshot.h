// A local database with the rows of all nodes of a store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "fleet/fleet_store.h"

namespace warptune::fleet::rows {

struct SnapshotCounts {
  std::uint64_t batches = 0;   ///< Merged now.
  std::uint64_t rows = 0;      ///< Added or updated now.
  std::uint64_t withheld = 0;  ///< Batches of suspect nodes, which are left out.
  std::uint64_t damaged =
      0;  ///< Batches that could not be read, or have rows that their node may not publish.
};

/// Brings the database `target` up to date with the store. The database is made if it is missing. What was
/// merged before is not read again: beside the database lies a list of the merged batches. Batches of suspect
/// nodes (`suspicion.h`) are left out, except those of `own_node`. So are batches that are damaged or have
/// what their node may not publish (`batch_owner.h`); the log names each once.
///
/// The database is made again if a node has become suspect since its batches were merged. The same happens if
/// a campaign was removed from the store, or is hidden from this user now. The old content remains until the
/// new one is complete. Several processes may call this at the same time for the same target. Throws as
/// `FleetStore` does; what was merged before then remains.
SnapshotCounts update_snapshot(FleetStore& store, const std::filesystem::path& target,
                               const BatchFilter& filter, const std::optional<std::string>& own_node);

/// The usual place of the snapshot of a store: in the user's cache folder, named by the hash of the address.
std::filesystem::path snapshot_path(const std::string& address);

}  // namespace warptune::fleet::rows
