#include "db/storage/carried_rows.h"
#include "db/store.h"
#include "db/store_connection.h"

namespace warptune::db {

std::vector<std::string> Store::kernel_hashes() const {
  storage::Statement found = connection_->database.prepare("SELECT DISTINCT hash FROM kernel");
  std::vector<std::string> hashes;
  while (found.step()) hashes.push_back(found.text());
  return hashes;
}

bool Store::has_rows_to_carry(const std::vector<model::Renaming>& renamings) const {
  return !storage::workloads_to_carry(connection_->database, renamings).empty();
}

std::uint64_t Store::carry_over(const std::vector<model::Renaming>& renamings) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  std::uint64_t measurements = 0;
  for (const storage::EarlierWorkload& workload : storage::workloads_to_carry(database, renamings))
    measurements += storage::carry_workload(database, workload);
  transaction.commit();
  return measurements;
}

}  // namespace warptune::db
