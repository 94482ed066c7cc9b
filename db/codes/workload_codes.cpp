#include "db/codes/workload_codes.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/error.h"
#include "db/storage/carried_rows.h"
#include "db/storage/codes/workload_code_rows.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db::codes {

namespace {

// The measurements of configurations that have no time.
constexpr const char* kFailed =
    " FROM configuration JOIN measurement AS latest ON latest.id = latest_id"
    " JOIN measurement AS row ON row.configuration_id = configuration.id"
    " JOIN session ON session.id = row.session_id"
    " WHERE configuration.workload_id = ? AND latest.status NOT IN ('measured', 'dropped')"
    " AND NOT EXISTS (SELECT 1 FROM measurement AS timed WHERE timed.configuration_id = configuration.id"
    " AND timed.status IN ('measured', 'dropped'))";

std::uint64_t remove_failed(storage::Database& database, std::int64_t workload) {
  database
      .prepare(fmt::format(
          "INSERT INTO deletion(origin, session_id, measurement_id)"
          " SELECT origin, session.origin_id, coalesce(row.origin_id, row.id){} ON CONFLICT DO NOTHING",
          kFailed))
      .bind(workload)
      .run();
  database.prepare(fmt::format("DELETE FROM measurement WHERE id IN (SELECT row.id{})", kFailed))
      .bind(workload)
      .run();
  const auto removed = static_cast<std::uint64_t>(database.changes());
  database
      .prepare(
          "DELETE FROM configuration WHERE workload_id = ?"
          " AND NOT EXISTS (SELECT 1 FROM measurement WHERE configuration_id = configuration.id)")
      .bind(workload)
      .run();
  return removed;
}

}  // namespace

void WorkloadCodes::set(const model::Workload& workload, const model::WorkloadCode& code) {
  storage::Database& database = store_.connection_->database;
  storage::Transaction transaction(database);
  const std::optional<std::int64_t> id = storage::codes::find_workload(database, workload);
  if (!id) throw base::InternalError("the code of a workload is stored before the workload");
  storage::codes::write_code(database, *id, code);
  transaction.commit();
}

std::optional<model::WorkloadCode> WorkloadCodes::find(const model::Workload& workload) const {
  storage::Database& database = store_.connection_->database;
  const std::optional<std::int64_t> id = storage::codes::find_workload(database, workload);
  return id ? storage::codes::read_code(database, *id) : std::nullopt;
}

bool WorkloadCodes::knows_other_versions(const std::string& kernel, const std::string& hash) const {
  storage::Statement found = store_.connection_->database.prepare(
      "SELECT 1 FROM workload_code JOIN workload ON workload.id = workload_code.id"
      " JOIN kernel ON kernel.id = workload.kernel_id WHERE kernel.name = ? AND kernel.hash <> ? LIMIT 1");
  return found.bind(kernel).bind(hash).step();
}

std::optional<CarriedRows> WorkloadCodes::carry_over(const model::Workload& earlier,
                                                     const std::string& present_hash) {
  storage::Database& database = store_.connection_->database;
  storage::Transaction transaction(database);
  const model::Renaming renaming{earlier.kernel, earlier.kernel_hash, present_hash, {}, std::nullopt};
  const std::optional<storage::EarlierWorkload> workload =
      storage::workload_to_carry(database, earlier, renaming);
  if (!workload) return std::nullopt;
  const std::optional<model::WorkloadCode> code = storage::codes::read_code(database, workload->id);
  CarriedRows carried;
  carried.removed = remove_failed(database, workload->id);
  carried.measurements = storage::carry_workload(database, *workload);
  model::Workload present = earlier;
  present.kernel_hash = present_hash;
  const std::optional<std::int64_t> id = storage::codes::find_workload(database, present);
  if (id && code && !storage::codes::read_code(database, *id))
    storage::codes::write_code(database, *id, *code);
  transaction.commit();
  return carried;
}

}  // namespace warptune::db::codes
