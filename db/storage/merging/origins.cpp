#include "db/storage/merging/origins.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "db/storage/checksums.h"
#include "model/fields.h"

namespace warptune::db::storage::merging {

std::int64_t origin_id_of_session(Database& database, std::int64_t session) {
  const auto known = database.session_origin_ids().find(session);
  if (known != database.session_origin_ids().end()) return known->second;
  const CachedStatement found =
      database.cached_statement("SELECT coalesce(origin_id, id) FROM session WHERE id = ?");
  if (!found->bind(session).step()) return session;  // There is no such session: the id is damaged.
  return database.session_origin_ids()[session] = found->integer();
}

void name_origins(Database& database) {
  std::vector<std::pair<std::int64_t, std::int64_t>> origins;
  Statement sessions = database.prepare(
      "SELECT session.id, started_ms, seed, space_size, driver_version, nvrtc_version, warptune_version,"
      " strategy, budget, objective, description, first.id, first.time_stamp_ms, first.compile_ms,"
      " first.measure_ms FROM session LEFT JOIN gpu ON gpu.id = gpu_id LEFT JOIN measurement AS first"
      "  ON first.id = (SELECT min(id) FROM measurement WHERE session_id = session.id)"
      " WHERE origin IS NULL");
  while (sessions.step()) {
    const std::int64_t id = sessions.integer();
    std::string content = std::to_string(id);
    for (int number = 0; number < 5; ++number) content += fmt::format(" {}", sessions.integer());
    for (int text = 0; text < 5; ++text) content += " " + sessions.text();
    for (int number = 0; number < 2; ++number) content += fmt::format(" {}", sessions.integer());
    for (int time = 0; time < 2; ++time) content += fmt::format(" {}", model::or_nan(sessions.real()));
    origins.emplace_back(id, static_cast<std::int64_t>(base::hash64(content)));
  }
  for (const auto& [id, origin] : origins) {
    database.prepare("UPDATE session SET origin = ?, origin_id = id WHERE id = ?")
        .bind(origin)
        .bind(id)
        .run();
  }
}

void add_search_checksums(Database& database) {
  for (const std::int64_t id : database.integers(
           "SELECT id FROM session WHERE search_state IS NOT NULL AND search_checksum IS NULL")) {
    const std::string text = database.text(fmt::format("SELECT search_state FROM session WHERE id = {}", id));
    database.prepare("UPDATE session SET search_checksum = ? WHERE id = ?")
        .bind(search_checksum_of(text))
        .bind(id)
        .run();
  }
}

}  // namespace warptune::db::storage::merging
