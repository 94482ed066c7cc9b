// Stores the rows of a file as imported rows.
//
// A known row is recognised by its checksum, which covers the workload, the configuration and all that was
// measured. It also covers the number of the session in the file in which it was made (`origin_id`). Imported
// sessions always have the number 1, so equal rows have equal checksums, whichever session they belong to.
#include "db/row_import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "db/recordings/values_json.h"
#include "db/storage/checksums.h"
#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/storage/row_writer.h"
#include "db/store_connection.h"

namespace warptune::db {

namespace {

constexpr std::int64_t kSessionNumber = 1;

// A row to import with its checksums.
struct CheckedRow {
  model::Measurement measurement;
  std::int64_t checksum = 0;
  std::int64_t counter_checksum = 0;
};

std::uint64_t checksum_of_workload(const model::Workload& workload) {
  return storage::workload_checksum_of(workload.kernel, workload.kernel_hash,
                                       recordings::canonical_key(workload.problem), workload.gpu.key(),
                                       model::to_string(workload.cache));
}

CheckedRow checked(const model::Measurement& measurement, std::uint64_t workload) {
  CheckedRow row{measurement, 0, 0};
  row.measurement.source = model::RowSource::kImported;
  row.checksum = storage::checksum_of(workload, kSessionNumber, row.measurement);
  row.counter_checksum = storage::checksum_of(row.measurement.counters);
  return row;
}

bool is_known(storage::Database& database, const std::vector<std::int64_t>& workloads,
              const CheckedRow& row) {
  const std::string key = recordings::canonical_key(row.measurement.configuration);
  for (const std::int64_t workload : workloads) {
    const storage::CachedStatement found = database.cached_statement(
        "SELECT 1 FROM configuration JOIN measurement ON configuration_id = configuration.id"
        " WHERE workload_id = ? AND key = ? AND replayed = 2 AND measurement.checksum = ?"
        " AND counter_checksum = ? LIMIT 1");
    if (found->bind(workload).bind(key).bind(row.checksum).bind(row.counter_checksum).step()) return true;
  }
  return false;
}

// The formats round differently: a recording keeps tenths of a nanosecond and six digits of a counter.
constexpr double kTenthNs = 0.1;
constexpr double kSixDigits = 1e-5;

bool are_near(double a, double b, double absolute, double relative) {
  return std::abs(a - b) <= std::max(absolute, relative * std::max(std::abs(a), std::abs(b)));
}

bool are_same_times(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return are_near(*a, *b, kTenthNs, 0.0);
}

bool are_same_counters(const model::Counters& a, const model::Counters& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
    return one.first == other.first && are_near(one.second, other.second, 0.0, kSixDigits);
  });
}

// Whether the row was imported before, from a file of a format that rounds otherwise. Times of two files
// cannot be compared by age, so none of them could count for a good reason: a row with other results is
// refused.
bool is_rounded(storage::Database& database, const std::vector<std::int64_t>& workloads,
                const model::Recording& recording, const CheckedRow& row) {
  const std::string key = recordings::canonical_key(row.measurement.configuration);
  bool has_other = false;
  for (const std::int64_t workload : workloads) {
    const storage::CachedStatement found = database.cached_statement(
        "SELECT measurement.id, status, median_ns FROM configuration"
        " JOIN measurement ON configuration_id = configuration.id"
        " WHERE workload_id = ? AND key = ? AND replayed = 2");
    found->bind(workload).bind(key);
    while (found->step()) {
      const std::int64_t id = found->integer();
      const bool same_status = found->text() == model::to_string(row.measurement.status);
      if (same_status && are_same_times(found->real(), model::median_ns_of(row.measurement)) &&
          are_same_counters(storage::intact_counters(database, id), row.measurement.counters))
        return true;
      has_other = true;
    }
  }
  if (!has_other) return false;
  throw base::InputError(fmt::format(
      "the configuration {} of {} was imported before with other results; `warptune db prune --kernel {} "
      "--imported --with-best` removes the earlier ones",
      model::to_text(row.measurement.configuration), recording.workload.kernel, recording.workload.kernel));
}

// The origin is a hash of the rows. A number is added to them until neither a session nor a deletion has it.
std::int64_t origin_of(storage::Database& database, const std::vector<CheckedRow>& rows,
                       std::uint64_t workload) {
  std::string content = std::to_string(workload);
  for (const CheckedRow& row : rows)
    content += " " + std::to_string(row.checksum) + " " + std::to_string(row.counter_checksum);
  for (int attempt = 0;; ++attempt) {
    const auto origin = static_cast<std::int64_t>(base::hash64(content + " " + std::to_string(attempt)));
    storage::Statement taken = database.prepare(
        "SELECT 1 FROM session WHERE origin = ?1 AND origin_id = ?2"
        " UNION ALL SELECT 1 FROM deletion WHERE origin = ?1 LIMIT 1");
    if (!taken.bind(origin).bind(kSessionNumber).step()) return origin;
  }
}

Session session_of(const model::Recording& recording, std::int64_t imported_ms) {
  Session session;
  session.workload = recording.workload;
  session.environment = recording.environment;
  session.roofs = recording.roofs;
  session.work = recording.work;
  session.strategy = "import";
  session.source = model::RowSource::kImported;
  session.started_ms = imported_ms;
  session.finished_ms = imported_ms;
  session.default_configuration = recording.default_configuration;
  return session;
}

std::int64_t insert_session(storage::Database& database, const Session& session, std::int64_t origin) {
  const std::int64_t id = storage::insert_session(database, session);
  database.prepare("UPDATE session SET origin = ?, origin_id = ? WHERE id = ?")
      .bind(origin)
      .bind(kSessionNumber)
      .bind(id)
      .run();
  database.session_origin_ids()[id] = kSessionNumber;
  return id;
}

}  // namespace

ImportCounts Store::import_rows(const model::Recording& recording, std::int64_t imported_ms) {
  storage::Database& database = connection_->database;
  storage::Transaction transaction(database);
  const std::vector<std::int64_t> workloads = storage::workload_ids(database, recording.workload);
  const std::uint64_t workload = checksum_of_workload(recording.workload);
  ImportCounts counts;
  std::vector<CheckedRow> rows;
  for (const model::Measurement& measurement : recording.measurements) {
    CheckedRow row = checked(measurement, workload);
    if (is_known(database, workloads, row) || is_rounded(database, workloads, recording, row)) {
      ++counts.known;
    } else {
      rows.push_back(std::move(row));
    }
  }
  if (!rows.empty()) {
    const std::int64_t origin = origin_of(database, rows, workload);
    counts.session_id = insert_session(database, session_of(recording, imported_ms), origin);
    for (const CheckedRow& row : rows) {
      ++counts.added;
      storage::insert_measurement(database, counts.session_id, row.measurement,
                                  static_cast<std::int64_t>(counts.added));
    }
  }
  transaction.commit();
  return counts;
}

}  // namespace warptune::db
