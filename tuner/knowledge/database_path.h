#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fleet/fleet_store.h"

namespace warptune::tuner::knowledge {

/// The file of a database that is read. `named` is what the user gave: a path, or the address of a store of
/// campaigns (`fleet::is_store_address`). Without it, the result is the path of the default database.
///
/// For a store, the result is its snapshot: a local database with the rows of all nodes, which is brought up
/// to date first. If the store cannot be opened or read, the snapshot stays as it was, and a warning says why
/// and how old it is.
///
/// Throws `base::MachineError` if the default is needed and neither `XDG_DATA_HOME` nor `HOME` is set. Throws
/// as `fleet::open_store` does if a store cannot be opened that has no snapshot.
std::filesystem::path database_path(const std::optional<std::filesystem::path>& named);

/// The file with the rows that nodes have published for one campaign of a store, brought up to date. Throws
/// as the functions of the store do.
std::filesystem::path campaign_database_path(fleet::FleetStore& store, const std::string& address,
                                             const std::string& campaign);

/// The same for a database that is written. Throws `base::InputError` for a store: only its nodes add rows.
std::filesystem::path written_database_path(const std::optional<std::filesystem::path>& named);

/// Whether there is no database at `path` although nobody made a mistake: it is the default database, which
/// the first session makes, or the file is empty. Throws as `db::Store::exists` does.
bool is_not_made_yet(const std::filesystem::path& path);

/// Whether the user has named a store of campaigns.
bool names_store(const std::optional<std::filesystem::path>& named);

}  // namespace warptune::tuner::knowledge
