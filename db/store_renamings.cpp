#include "db/detail/carried_rows.h"
#include "db/detail/store_connection.h"
#include "db/store.h"

namespace warptune::db {

std::vector<std::string> Store::kernel_hashes() const {
  detail::Statement found = connection_->database.prepare("SELECT DISTINCT hash FROM kernel");
  std::vector<std::string> hashes;
  while (found.step()) hashes.push_back(found.text());
  return hashes;
}

bool Store::has_rows_to_carry(const std::vector<search::Renaming>& renamings) const {
  return !detail::subjects_to_carry(connection_->database, renamings).empty();
}

std::uint64_t Store::carry_over(const std::vector<search::Renaming>& renamings) {
  detail::Database& database = connection_->database;
  detail::Transaction transaction(database);
  std::uint64_t measurements = 0;
  for (const detail::EarlierSubject& subject : detail::subjects_to_carry(database, renamings))
    measurements += detail::carry_subject(database, subject);
  transaction.commit();
  return measurements;
}

}  // namespace warptune::db
