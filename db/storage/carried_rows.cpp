// Moves rows of earlier versions of a kernel to the present names of its parameters and problem entries.
//
// The sessions, configurations and measurements of the earlier workload get the present names and move to the
// workload that has these names. If a configuration exists in both workloads, all its measurements move to
// one configuration. A row's checksum covers the names, so it is computed again. First the rows that fit
// their checksums are noted; only they get a new checksum at the end. A damaged row therefore still counts as
// damaged afterwards. A workload is left out while a session may still write to it, because that session uses
// the earlier names.
#include "db/storage/carried_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "db/recordings/values_json.h"
#include "db/storage/codes/workload_code_rows.h"
#include "db/storage/intact_rows.h"
#include "db/storage/running_sessions.h"

namespace warptune::db::storage {

namespace {

std::vector<std::int64_t> row_ids(Database& database, const char* sql, std::int64_t workload) {
  Statement found = database.prepare(sql);
  found.bind(workload);
  std::vector<std::int64_t> ids;
  while (found.step()) ids.push_back(found.integer());
  return ids;
}

// Returns std::nullopt if the text is damaged. Such a text is not changed.
std::optional<model::NamedValues> values_in(const std::string& text) {
  try {
    return recordings::parse_values(text);
  } catch (const base::InputError&) {
    return std::nullopt;
  }
}

// A row that cannot be read is not intact.
template <class Read>
bool is_intact(Read read) {
  try {
    return read();
  } catch (const base::InputError&) {
    return false;
  }
}

bool may_be_written_to(Database& database, std::int64_t workload) {
  Statement found = database.prepare(
      fmt::format("SELECT 1 FROM session WHERE workload_id = ? AND {} LIMIT 1", kMayBeRunning));
  return found.bind(workload).bind(running_since_ms()).step();
}

// Returns the workload with the present names and makes it if it is missing.
std::int64_t present_workload(Database& database, const EarlierWorkload& workload) {
  const std::string& hash = workload.renaming->after;
  const model::NamedValues problem = workload.renaming->renamed(workload.problem);
  const std::string key = recordings::canonical_key(problem);
  database.prepare("INSERT INTO kernel(name, hash) VALUES(?, ?) ON CONFLICT DO NOTHING")
      .bind(workload.kernel)
      .bind(hash)
      .run();
  database
      .prepare(
          "INSERT INTO workload(kernel_id, problem_key, problem, gpu_key, cache_state)"
          " SELECT kernel.id, ?, ?, earlier.gpu_key, earlier.cache_state FROM kernel JOIN workload AS earlier"
          " WHERE kernel.hash = ? AND kernel.name = ? AND earlier.id = ? ON CONFLICT DO NOTHING")
      .bind(key)
      .bind(recordings::compact(problem))
      .bind(hash)
      .bind(workload.kernel)
      .bind(workload.id)
      .run();
  Statement found = database.prepare(
      "SELECT present.id FROM kernel JOIN workload AS present ON present.kernel_id = kernel.id"
      " JOIN workload AS earlier ON earlier.gpu_key = present.gpu_key"
      "  AND earlier.cache_state = present.cache_state"
      " WHERE kernel.hash = ? AND kernel.name = ? AND present.problem_key = ? AND earlier.id = ?");
  found.bind(hash).bind(workload.kernel).bind(key).bind(workload.id).step();
  return found.integer();
}

void rename_sessions(Database& database, const EarlierWorkload& workload, std::int64_t present) {
  for (const std::int64_t id :
       row_ids(database, "SELECT id FROM session WHERE workload_id = ?", workload.id)) {
    Statement found = database.prepare("SELECT default_configuration FROM session WHERE id = ?");
    found.bind(id).step();
    const std::optional<model::NamedValues> known = values_in(found.text());
    found.reset();
    const model::NamedValues renamed =
        known ? workload.renaming->renamed_configuration(*known) : model::NamedValues();
    database
        .prepare(
            "UPDATE session SET workload_id = ?, default_configuration = ?, default_key = ?,"
            " search_state = NULL, search_checksum = NULL, revision = revision + 1 WHERE id = ?")
        .bind(present)
        .bind(recordings::compact(renamed))
        .bind(recordings::canonical_key(renamed))
        .bind(id)
        .run();
  }
}

// Moves the measurements of a configuration to the configuration that already has the present names.
void join_configurations(Database& database, std::int64_t earlier, std::int64_t present) {
  database.prepare("UPDATE measurement SET configuration_id = ? WHERE configuration_id = ?")
      .bind(present)
      .bind(earlier)
      .run();
  database.prepare("DELETE FROM configuration WHERE id = ?").bind(earlier).run();
  database
      .prepare(
          "UPDATE configuration SET (latest_id, latest_clock, latest_ns, latest_preferred) ="
          " (SELECT id, origin_id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM "
          "measurement"
          "  WHERE configuration_id = configuration.id ORDER BY replayed,"
          "  coalesce(origin_id, id) DESC, checksum DESC LIMIT 1),"
          " latest_replayed = coalesce((SELECT min(replayed) FROM measurement"
          "  WHERE configuration_id = configuration.id), 0) WHERE id = ?")
      .bind(present)
      .run();
}

void rename_configuration(Database& database, std::int64_t id, const model::Renaming& renaming,
                          std::int64_t present) {
  std::string body;
  {
    const CachedStatement found = database.cached_statement("SELECT body FROM configuration WHERE id = ?");
    found->bind(id).step();
    body = found->text();
  }
  std::optional<model::NamedValues> renamed = values_in(body);
  if (renamed) renamed = renaming.renamed_configuration(std::move(*renamed));
  const std::string key = renamed ? recordings::canonical_key(*renamed) : body;
  std::optional<std::int64_t> other;
  {
    const CachedStatement found =
        database.cached_statement("SELECT id FROM configuration WHERE workload_id = ? AND key = ?");
    if (found->bind(present).bind(key).step()) other = found->integer();
  }
  if (other) return join_configurations(database, id, *other);
  const CachedStatement update =
      database.cached_statement("UPDATE configuration SET workload_id = ?, key = ?, body = ? WHERE id = ?");
  update->bind(present).bind(key).bind(renamed ? recordings::compact(*renamed) : body).bind(id).step();
}

// The revision of each row grows, so that a merge does not bring back the earlier names.
void count_revisions(Database& database, const std::vector<std::int64_t>& measurements) {
  const CachedStatement update =
      database.cached_statement("UPDATE measurement SET revision = revision + 1 WHERE id = ?");
  for (const std::int64_t id : measurements) update->bind(id).run();
}

// If the present workload has a preferred row, the rows of the earlier workload are no longer preferred. The
// number of the present choice becomes larger than those of the earlier ones.
void clear_preferred(Database& database, std::int64_t earlier, std::int64_t present) {
  Statement chosen = database.prepare(
      "SELECT 1 FROM configuration WHERE workload_id = ? AND latest_preferred IS NOT NULL LIMIT 1");
  if (!chosen.bind(present).step()) return;
  database
      .prepare(
          "UPDATE measurement SET preferred = NULL WHERE preferred IS NOT NULL AND configuration_id IN"
          " (SELECT id FROM configuration WHERE workload_id = ?)")
      .bind(earlier)
      .run();
  database
      .prepare(
          "UPDATE measurement SET chosen = coalesce(chosen, 0) + (SELECT coalesce(max(row.chosen), 0)"
          " FROM measurement AS row JOIN configuration AS of_row ON of_row.id = row.configuration_id"
          " WHERE row.chosen > 0 AND of_row.workload_id = ?)"
          " WHERE id = (SELECT latest_id FROM configuration WHERE workload_id = ?"
          "  AND latest_preferred IS NOT NULL)")
      .bind(earlier)
      .bind(present)
      .run();
}

void count_rows(Database& database, std::int64_t workload) {
  database
      .prepare(
          "UPDATE workload SET"
          " measured = (SELECT count(*) FROM configuration WHERE workload_id = workload.id"
          "  AND latest_ns IS NOT NULL),"
          " evaluated = (SELECT count(*) FROM configuration JOIN measurement"
          "  ON configuration_id = configuration.id WHERE workload_id = workload.id) WHERE id = ?")
      .bind(workload)
      .run();
}

void remove_earlier(Database& database, const EarlierWorkload& workload) {
  database.prepare("DELETE FROM workload WHERE id = ?").bind(workload.id).run();
  database
      .prepare("DELETE FROM kernel WHERE id = ? AND NOT EXISTS (SELECT 1 FROM workload WHERE kernel_id = ?)")
      .bind(workload.kernel_id)
      .bind(workload.kernel_id)
      .run();
}

}  // namespace

std::vector<EarlierWorkload> workloads_to_carry(Database& database,
                                                const std::vector<model::Renaming>& renamings) {
  std::vector<EarlierWorkload> workloads;
  for (const model::Renaming& renaming : renamings) {
    if (!renaming.identical) continue;
    Statement found = database.prepare(
        "SELECT workload.id, kernel.id, kernel.name, problem FROM kernel JOIN workload"
        " ON workload.kernel_id = kernel.id WHERE kernel.hash = ? AND kernel.name = ? ORDER BY workload.id");
    found.bind(renaming.before).bind(renaming.kernel);
    while (found.step()) {
      EarlierWorkload workload;
      workload.id = found.integer();
      workload.kernel_id = found.integer();
      workload.kernel = found.text();
      const std::optional<model::NamedValues> problem = values_in(found.text());
      if (!problem || !renaming.is_identical(*problem)) continue;
      workload.problem = *problem;
      workload.renaming = &renaming;
      workloads.push_back(std::move(workload));
    }
  }
  std::erase_if(workloads,
                [&](const EarlierWorkload& workload) { return may_be_written_to(database, workload.id); });
  return workloads;
}

std::optional<EarlierWorkload> workload_to_carry(Database& database, const model::Workload& workload,
                                                 const model::Renaming& renaming) {
  const std::optional<std::int64_t> id = codes::find_workload(database, workload);
  if (!id) return std::nullopt;
  Statement kernel = database.prepare("SELECT kernel_id FROM workload WHERE id = ?");
  kernel.bind(*id).step();
  EarlierWorkload earlier{*id, kernel.integer(), workload.kernel, workload.problem, &renaming};
  if (may_be_written_to(database, earlier.id)) return std::nullopt;
  return earlier;
}

std::uint64_t carry_workload(Database& database, const EarlierWorkload& workload) {
  std::vector<std::int64_t> measurements =
      row_ids(database,
              "SELECT measurement.id FROM configuration JOIN measurement"
              " ON configuration_id = configuration.id WHERE workload_id = ?",
              workload.id);
  std::vector<std::int64_t> sessions =
      row_ids(database, "SELECT id FROM session WHERE workload_id = ?", workload.id);
  const std::uint64_t count = measurements.size();
  count_revisions(database, measurements);
  std::erase_if(measurements, [&](std::int64_t id) {
    return !is_intact([&] { return is_intact_measurement(database, id); });
  });
  std::erase_if(sessions, [&](std::int64_t id) {
    return !is_intact([&] { return intact_session(database, id).has_value(); });
  });

  const std::int64_t present = present_workload(database, workload);
  clear_preferred(database, workload.id, present);
  rename_sessions(database, workload, present);
  for (const std::int64_t id :
       row_ids(database, "SELECT id FROM configuration WHERE workload_id = ?", workload.id))
    rename_configuration(database, id, *workload.renaming, present);
  count_rows(database, present);
  remove_earlier(database, workload);

  database.workload_checksums().clear();
  database.known_workloads().clear();
  for (const std::int64_t id : measurements) refresh_measurement_checksum(database, id);
  for (const std::int64_t id : sessions) refresh_session_checksum(database, id);
  return count;
}

}  // namespace warptune::db::storage
