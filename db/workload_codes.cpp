#include <optional>
#include <string>

#include "base/error.h"
#include "db/storage/carried_rows.h"
#include "db/storage/workload_codes.h"
#include "db/store.h"
#include "db/store_connection.h"
#include "db/workload_code.h"

namespace warptune::db {

void WorkloadCodes::set(const model::Workload& workload, const WorkloadCode& code) {
  storage::Database& database = store_.connection_->database;
  storage::Transaction transaction(database);
  const std::optional<std::int64_t> id = storage::find_workload(database, workload);
  if (!id) throw base::InternalError("the code of a workload is stored before the workload");
  storage::write_code(database, *id, code);
  transaction.commit();
}

std::optional<WorkloadCode> WorkloadCodes::find(const model::Workload& workload) const {
  storage::Database& database = store_.connection_->database;
  const std::optional<std::int64_t> id = storage::find_workload(database, workload);
  return id ? storage::read_code(database, *id) : std::nullopt;
}

bool WorkloadCodes::knows_other_versions(const std::string& kernel, const std::string& hash) const {
  storage::Statement found = store_.connection_->database.prepare(
      "SELECT 1 FROM workload_code JOIN workload ON workload.id = workload_code.id"
      " JOIN kernel ON kernel.id = workload.kernel_id WHERE kernel.name = ? AND kernel.hash <> ? LIMIT 1");
  return found.bind(kernel).bind(hash).step();
}

std::optional<std::uint64_t> WorkloadCodes::carry_over(const model::Workload& earlier,
                                                       const std::string& present_hash) {
  storage::Database& database = store_.connection_->database;
  storage::Transaction transaction(database);
  const model::Renaming renaming{earlier.kernel, earlier.kernel_hash, present_hash, {}, std::nullopt};
  const std::optional<storage::EarlierWorkload> workload =
      storage::workload_to_carry(database, earlier, renaming);
  if (!workload) return std::nullopt;
  const std::optional<WorkloadCode> code = storage::read_code(database, workload->id);
  const std::uint64_t measurements = storage::carry_workload(database, *workload);
  model::Workload present = earlier;
  present.kernel_hash = present_hash;
  const std::optional<std::int64_t> id = storage::find_workload(database, present);
  if (id && code && !storage::read_code(database, *id)) storage::write_code(database, *id, *code);
  transaction.commit();
  return measurements;
}

}  // namespace warptune::db
