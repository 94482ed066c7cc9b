#include "db/detail/carried_rows.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "db/detail/sound_rows.h"
#include "db/detail/values_json.h"

namespace warptune::db::detail {

namespace {

constexpr std::int64_t kWritingForMs = 10 * 60 * 1000;

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::vector<std::int64_t> row_ids(Database& database, const char* sql, std::int64_t subject) {
  Statement found = database.prepare(sql);
  found.bind(subject);
  std::vector<std::int64_t> ids;
  while (found.step()) ids.push_back(found.integer());
  return ids;
}

// Nothing where the text is damaged: then it stays as it is.
std::optional<search::NamedValues> values_in(const std::string& text) {
  try {
    return parse_values(text);
  } catch (const base::InputError&) {
    return std::nullopt;
  }
}

// What cannot be read is not sound.
template <class Read>
bool is_sound(Read read) {
  try {
    return read();
  } catch (const base::InputError&) {
    return false;
  }
}

// Whether one of its sessions has not ended and stored something a short while ago.
bool may_be_written_to(Database& database, std::int64_t subject) {
  Statement found = database.prepare(
      "SELECT 1 FROM session WHERE subject_id = ? AND finished_ms = 0 AND max(started_ms, coalesce("
      "(SELECT max(time_stamp_ms) FROM measurement WHERE session_id = session.id), 0)) > ? LIMIT 1");
  return found.bind(subject).bind(now_ms() - kWritingForMs).step();
}

// The subject with the present names, made where there is none.
std::int64_t present_subject(Database& database, const EarlierSubject& subject) {
  const std::string& hash = subject.renaming->after;
  const search::NamedValues problem = subject.renaming->renamed(subject.problem);
  const std::string key = canonical_key(problem);
  database.prepare("INSERT INTO kernel(name, hash) VALUES(?, ?) ON CONFLICT DO NOTHING")
      .bind(subject.kernel)
      .bind(hash)
      .run();
  database
      .prepare(
          "INSERT INTO subject(kernel_id, problem_key, problem, gpu_key, cache_state)"
          " SELECT kernel.id, ?, ?, earlier.gpu_key, earlier.cache_state FROM kernel JOIN subject AS earlier"
          " WHERE kernel.hash = ? AND kernel.name = ? AND earlier.id = ? ON CONFLICT DO NOTHING")
      .bind(key)
      .bind(compact(problem))
      .bind(hash)
      .bind(subject.kernel)
      .bind(subject.id)
      .run();
  Statement found = database.prepare(
      "SELECT present.id FROM kernel JOIN subject AS present ON present.kernel_id = kernel.id"
      " JOIN subject AS earlier ON earlier.gpu_key = present.gpu_key"
      "  AND earlier.cache_state = present.cache_state"
      " WHERE kernel.hash = ? AND kernel.name = ? AND present.problem_key = ? AND earlier.id = ?");
  found.bind(hash).bind(subject.kernel).bind(key).bind(subject.id).step();
  return found.integer();
}

void rename_sessions(Database& database, const EarlierSubject& subject, std::int64_t present) {
  for (const std::int64_t id : row_ids(database, "SELECT id FROM session WHERE subject_id = ?", subject.id)) {
    Statement found = database.prepare("SELECT default_configuration FROM session WHERE id = ?");
    found.bind(id).step();
    const std::optional<search::NamedValues> known = values_in(found.text());
    found.reset();
    const search::NamedValues renamed = known ? subject.renaming->renamed(*known) : search::NamedValues();
    database
        .prepare(
            "UPDATE session SET subject_id = ?, default_configuration = ?, default_key = ?,"
            " search_state = NULL WHERE id = ?")
        .bind(present)
        .bind(compact(renamed))
        .bind(canonical_key(renamed))
        .bind(id)
        .run();
  }
}

// Its measurements go to the configuration that has the present names already.
void join_configurations(Database& database, std::int64_t earlier, std::int64_t present) {
  database.prepare("UPDATE measurement SET configuration_id = ? WHERE configuration_id = ?")
      .bind(present)
      .bind(earlier)
      .run();
  database.prepare("DELETE FROM configuration WHERE id = ?").bind(earlier).run();
  database
      .prepare(
          "UPDATE configuration SET (latest_id, latest_ns, latest_preferred) ="
          " (SELECT id, iif(status = 'measured', median_ns, NULL), nullif(preferred, 0) FROM measurement"
          "  WHERE configuration_id = configuration.id ORDER BY id DESC LIMIT 1) WHERE id = ?")
      .bind(present)
      .run();
}

void rename_configuration(Database& database, std::int64_t id, const search::Renaming& renaming,
                          std::int64_t present) {
  std::string body;
  {
    const Lease found = database.lease("SELECT body FROM configuration WHERE id = ?");
    found->bind(id).step();
    body = found->text();
  }
  std::optional<search::NamedValues> renamed = values_in(body);
  if (renamed) renamed = renaming.renamed(std::move(*renamed));
  const std::string key = renamed ? canonical_key(*renamed) : body;
  std::optional<std::int64_t> other;
  {
    const Lease found = database.lease("SELECT id FROM configuration WHERE subject_id = ? AND key = ?");
    if (found->bind(present).bind(key).step()) other = found->integer();
  }
  if (other) return join_configurations(database, id, *other);
  const Lease update =
      database.lease("UPDATE configuration SET subject_id = ?, key = ?, body = ? WHERE id = ?");
  update->bind(present).bind(key).bind(renamed ? compact(*renamed) : body).bind(id).step();
}

// The choice of the present version's final rounds stands.
void drop_choices(Database& database, std::int64_t earlier, std::int64_t present) {
  Statement chosen = database.prepare(
      "SELECT 1 FROM configuration WHERE subject_id = ? AND latest_preferred IS NOT NULL LIMIT 1");
  if (!chosen.bind(present).step()) return;
  database
      .prepare(
          "UPDATE measurement SET preferred = NULL WHERE preferred IS NOT NULL AND configuration_id IN"
          " (SELECT id FROM configuration WHERE subject_id = ?)")
      .bind(earlier)
      .run();
}

void count_rows(Database& database, std::int64_t subject) {
  database
      .prepare(
          "UPDATE subject SET"
          " measured = (SELECT count(*) FROM configuration WHERE subject_id = subject.id"
          "  AND latest_ns IS NOT NULL),"
          " evaluated = (SELECT count(*) FROM configuration JOIN measurement"
          "  ON configuration_id = configuration.id WHERE subject_id = subject.id) WHERE id = ?")
      .bind(subject)
      .run();
}

void remove_earlier(Database& database, const EarlierSubject& subject) {
  database.prepare("DELETE FROM subject WHERE id = ?").bind(subject.id).run();
  database
      .prepare("DELETE FROM kernel WHERE id = ? AND NOT EXISTS (SELECT 1 FROM subject WHERE kernel_id = ?)")
      .bind(subject.kernel_id)
      .bind(subject.kernel_id)
      .run();
}

}  // namespace

std::vector<EarlierSubject> subjects_to_carry(Database& database,
                                              const std::vector<search::Renaming>& renamings) {
  std::vector<EarlierSubject> subjects;
  for (const search::Renaming& renaming : renamings) {
    if (!renaming.identical) continue;
    Statement found = database.prepare(
        "SELECT subject.id, kernel.id, kernel.name, problem FROM kernel JOIN subject"
        " ON subject.kernel_id = kernel.id WHERE kernel.hash = ? AND kernel.name = ? ORDER BY subject.id");
    found.bind(renaming.before).bind(renaming.kernel);
    while (found.step()) {
      EarlierSubject subject;
      subject.id = found.integer();
      subject.kernel_id = found.integer();
      subject.kernel = found.text();
      const std::optional<search::NamedValues> problem = values_in(found.text());
      if (!problem || !renaming.is_identical(*problem)) continue;
      subject.problem = *problem;
      subject.renaming = &renaming;
      subjects.push_back(std::move(subject));
    }
  }
  std::erase_if(subjects,
                [&](const EarlierSubject& subject) { return may_be_written_to(database, subject.id); });
  return subjects;
}

std::uint64_t carry_subject(Database& database, const EarlierSubject& subject) {
  std::vector<std::int64_t> measurements =
      row_ids(database,
              "SELECT measurement.id FROM configuration JOIN measurement"
              " ON configuration_id = configuration.id WHERE subject_id = ?",
              subject.id);
  std::vector<std::int64_t> sessions =
      row_ids(database, "SELECT id FROM session WHERE subject_id = ?", subject.id);
  const std::uint64_t count = measurements.size();
  std::erase_if(measurements, [&](std::int64_t id) {
    return !is_sound([&] { return is_sound_measurement(database, id); });
  });
  std::erase_if(sessions, [&](std::int64_t id) {
    return !is_sound([&] { return sound_session(database, id).has_value(); });
  });

  const std::int64_t present = present_subject(database, subject);
  drop_choices(database, subject.id, present);
  rename_sessions(database, subject, present);
  for (const std::int64_t id :
       row_ids(database, "SELECT id FROM configuration WHERE subject_id = ?", subject.id))
    rename_configuration(database, id, *subject.renaming, present);
  count_rows(database, present);
  remove_earlier(database, subject);

  database.known_marks().clear();
  database.known_subjects().clear();
  for (const std::int64_t id : measurements) seal_measurement(database, id);
  for (const std::int64_t id : sessions) seal_session(database, id);
  return count;
}

}  // namespace warptune::db::detail
