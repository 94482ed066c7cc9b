// Computes an objective for the rows of a workload. Only the columns that the objective names are read, not
// whole rows: an index has the times, and each counter is one look-up. Reading a whole row takes about 20
// times as long, because its configuration and its samples are parsed and its checksums are computed.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "db/storage/intact_rows.h"
#include "db/storage/measurement_queries.h"
#include "db/storage/row_reader.h"
#include "db/store.h"
#include "db/store_connection.h"
#include "model/fields.h"

namespace warptune::db {

namespace {

// A query for the newest row of each configuration (`storage::latest_times`) and the columns that the
// objective needs.
std::string rated_columns(const std::vector<std::int64_t>& workloads, const model::Objective& objective) {
  std::string columns = "latest.latest_id, latest.latest_replayed, latest.latest_ns";
  std::string tables = storage::latest_times(workloads);
  if (objective.needs_resources()) {
    columns += ", " + storage::resource_columns();
    tables += " CROSS JOIN measurement ON measurement.id = latest.latest_id";
  }
  for (std::size_t i = 0; i < objective.stored_metrics().size(); ++i) {
    columns += fmt::format(", counter_{}.value", i);
    tables += fmt::format(
        " CROSS JOIN counter AS counter_{0} ON counter_{0}.measurement_id = latest.latest_id"
        " AND counter_{0}.metric_id = (SELECT id FROM metric WHERE name = ?)",
        i);
  }
  return fmt::format("SELECT {} FROM {}", columns, tables);
}

}  // namespace

std::vector<ObjectiveValues> Store::objective_values(const model::Workload& workload,
                                                     const model::Objective& objective) const {
  storage::Database& database = connection_->database;
  const std::vector<std::int64_t> workloads = storage::workload_ids(database, workload);
  if (workloads.empty()) return {};
  storage::Statement statement = database.prepare(rated_columns(workloads, objective));
  const std::vector<std::string> metrics = objective.stored_metrics();
  for (const std::string& metric : metrics) statement.bind(metric);
  std::vector<ObjectiveValues> rated;
  model::Measurement row;
  row.status = model::Status::kMeasured;
  while (statement.step()) {
    ObjectiveValues values;
    values.id = statement.integer();
    values.source = static_cast<model::RowSource>(statement.small());
    const std::optional<double> median_ns = statement.real();
    row.time.reset();
    if (median_ns) row.time = model::TimeSummary{*median_ns};
    if (objective.needs_resources()) storage::read_resources(statement, row.resources);
    for (const std::string& metric : metrics) row.counters[metric] = model::or_nan(statement.real());
    if (std::optional<std::vector<double>> parts = objective.values(row)) {
      values.parts = *std::move(parts);
      rated.push_back(std::move(values));
    }
  }
  std::sort(rated.begin(), rated.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return rated;
}

std::vector<RankedId> Store::ranked_ids(const model::Workload& workload,
                                        const model::Objective& objective) const {
  std::vector<RankedId> ranked;
  for (const ObjectiveValues& row : objective_values(workload, objective)) {
    if (const std::optional<double> value = model::Objective::value_of_parts(row.parts))
      ranked.push_back({row.id, row.source, *value});
  }
  std::sort(ranked.begin(), ranked.end(), [](const RankedId& a, const RankedId& b) {
    return std::tuple(a.source, a.value, a.id) < std::tuple(b.source, b.value, b.id);
  });
  return ranked;
}

std::unordered_set<std::int64_t> Store::ids_with_counters(const model::Workload& workload,
                                                          const std::vector<std::string>& metrics) const {
  storage::Database& database = connection_->database;
  const std::vector<std::int64_t> workloads = storage::workload_ids(database, workload);
  std::unordered_set<std::int64_t> ids;
  if (workloads.empty()) return ids;
  for (const std::string& metric : metrics) {
    storage::Statement statement = database.prepare(fmt::format(
        "SELECT latest.latest_id FROM {} CROSS JOIN counter ON counter.measurement_id = latest.latest_id"
        " AND counter.metric_id = (SELECT id FROM metric WHERE name = ?)",
        storage::latest_times(workloads)));
    statement.bind(metric);
    while (statement.step()) ids.insert(statement.integer());
  }
  return ids;
}

std::vector<StoredMeasurement> Store::rows_with_counters(const model::Workload& workload,
                                                         const std::vector<std::string>& metrics) const {
  storage::Database& database = connection_->database;
  storage::Statement statement = database.prepare(storage::measurement_query(fmt::format(
      "measurement.session_id IN (SELECT id FROM session WHERE workload_id IN ({})) AND median_ns IS NOT NULL"
      " AND EXISTS (SELECT 1 FROM counter JOIN metric ON metric.id = counter.metric_id"
      "  WHERE counter.measurement_id = measurement.id AND metric.name IN ({}))"
      " ORDER BY measurement.id",
      fmt::join(storage::workload_ids(database, workload), ", "),
      fmt::join(std::vector<const char*>(metrics.size(), "?"), ", "))));
  for (const std::string& metric : metrics) statement.bind(metric);
  return storage::intact_measurements(database, statement);
}

std::optional<StoredMeasurement> Store::ranked_row(const RankedId& ranked,
                                                   const model::Objective& objective) const {
  std::optional<StoredMeasurement> row = measurement(ranked.id);
  if (!row || row->measurement.status != model::Status::kMeasured) return std::nullopt;
  if (objective.value(row->measurement) != ranked.value) return std::nullopt;
  return row;
}

}  // namespace warptune::db
