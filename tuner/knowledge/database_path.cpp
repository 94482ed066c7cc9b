#include "tuner/knowledge/database_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "db/store.h"
#include "fleet/fleet_store.h"
#include "fleet/rows/snapshot.h"

namespace warptune::tuner::knowledge {

namespace fs = std::filesystem;

namespace {

// The time since the snapshot was brought up to date. Its file gets the time of each successful update.
std::string age_of(const fs::path& snapshot) {
  std::error_code ignored;
  const auto age = fs::file_time_type::clock::now() - fs::last_write_time(snapshot, ignored);
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(age).count();
  return base::counted(static_cast<std::uint64_t>(std::max<std::int64_t>(minutes, 0)), "minute");
}

void update(fleet::FleetStore& store, const fs::path& snapshot, const fleet::BatchFilter& filter) {
  const fleet::rows::SnapshotCounts counts =
      fleet::rows::update_snapshot(store, snapshot, filter, std::nullopt);
  std::error_code ignored;
  fs::last_write_time(snapshot, fs::file_time_type::clock::now(), ignored);
  if (counts.damaged > 0)
    base::log_warning(
        fmt::format("{}: {} left out, because damaged or with rows that their node may not publish",
                    store.address(), base::counted(counts.damaged, "batch is", "batches are")));
  if (counts.withheld > 0)
    base::log_warning(
        fmt::format("{}: {} left out, because their nodes are suspect; warptune campaign status "
                    "names the nodes",
                    store.address(), base::counted(counts.withheld, "batch is", "batches are")));
}

fs::path snapshot_of(const std::string& address) {
  fs::path snapshot = fleet::rows::snapshot_path(address);
  const auto take_last = [&](const base::Error& error) {
    base::log_warning(fmt::format("{}; the answer comes from the rows that were read {} ago", error.message(),
                                  age_of(snapshot)));
  };
  try {
    update(*fleet::open_store(address, fleet::Access::kReader), snapshot, {});
  } catch (const base::MachineError& error) {
    if (!db::Store::exists(snapshot)) throw;
    take_last(error);
  } catch (const base::InputError& error) {  // For example, the folder of a spool is not mounted.
    if (!db::Store::exists(snapshot)) throw;
    take_last(error);
  }
  return snapshot;
}

}  // namespace

bool names_store(const std::optional<fs::path>& named) {
  return named && fleet::is_store_address(named->native());
}

fs::path database_path(const std::optional<fs::path>& named) {
  if (!named) return base::data_folder() / "warptune.db";
  return names_store(named) ? snapshot_of(named->native()) : *named;
}

bool is_not_made_yet(const fs::path& path) {
  if (db::Store::exists(path)) return false;
  std::error_code ignored;
  if (fs::exists(path, ignored)) return true;
  try {
    return path == database_path(std::nullopt);
  } catch (const base::MachineError&) {  // There is no default database.
    return false;
  }
}

fs::path campaign_database_path(fleet::FleetStore& store, const std::string& address,
                                const std::string& campaign) {
  fs::path snapshot = fleet::rows::snapshot_path(address);
  snapshot.replace_filename(snapshot.stem().string() + "-" + campaign + ".db");
  update(store, snapshot, {campaign, std::nullopt});
  return snapshot;
}

fs::path written_database_path(const std::optional<fs::path>& named) {
  if (!names_store(named)) return database_path(named);
  throw base::InputError(
      "this writes rows, and only nodes (warptune node) add rows to a store of campaigns; name a file");
}

}  // namespace warptune::tuner::knowledge
