// Shows configurations side by side on a terminal: the default and the best, or a Pareto front.
#include "tuner/text_output/configuration_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/text.h"
#include "db/confirmation.h"
#include "model/own_metrics.h"
#include "model/pareto.h"
#include "model/row_sources.h"
#include "profiling/counters/metrics.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::text_output {

namespace {

using Cell = std::function<std::string(const model::Measurement&)>;

// Adds a row to the table, unless all its cells are empty.
void add_row(TextTable& table, const std::string& title, const std::vector<ReportColumn>& columns,
             const Cell& cell) {
  std::vector<std::string> row = {title};
  bool any = false;
  for (const ReportColumn& column : columns) {
    row.push_back(cell(column.measurement));
    any = any || !row.back().empty();
  }
  if (any) table.add(std::move(row));
}

// Adds the row of times. With several columns it is emphasised, because they are compared by their times.
void add_times(TextTable& table, const std::vector<ReportColumn>& columns) {
  std::vector<std::string> row = {"time (median)"};
  for (const ReportColumn& column : columns) row.push_back(time_text(column.measurement));
  if (columns.size() > 1) {
    table.add(std::move(row), Style::kGood);
  } else {
    table.add(std::move(row));
  }
}

void add_parameters(TextTable& table, const std::vector<ReportColumn>& columns) {
  for (const auto& [name, ignored] : columns.front().measurement.configuration) {
    const std::string& wanted = name;
    add_row(table, name, columns, [&wanted](const model::Measurement& measurement) {
      const model::Value* value = model::find(measurement.configuration, wanted);
      return value == nullptr ? "" : model::to_text(*value);
    });
  }
}

// How many times as fast as the first. It is a bound when one of the two was dropped.
std::string speed_up(const model::Measurement& measurement, const model::Measurement& first) {
  if (&measurement == &first) return "1.00x";
  if (!is_dropped(first))
    return first.time ? rate_text(measurement, "x", 2, first.time->median_ns) : std::string("-");
  const std::optional<double> bound_ns = model::low_ns_of(first);
  if (is_dropped(measurement)) return "";
  if (!bound_ns || !measurement.time) return "-";
  return fmt::format("> {:.2f}x", *bound_ns / measurement.time->median_ns);
}

void add_rates(TextTable& table, const std::vector<ReportColumn>& columns, const model::Work& work,
               const model::Roofs& roofs) {
  const model::Measurement& first = columns.front().measurement;
  add_times(table, columns);
  add_row(table, "  95 % interval", columns, interval_text);
  if (columns.size() > 1) {
    add_row(table, "speed-up", columns, [&](const auto& m) { return speed_up(m, first); });
  }
  if (work.flops > 0) {
    add_row(table, "arithmetic", columns,
            [&](const auto& m) { return throughput_text(m, "FLOP/s", work.flops); });
  }
  if (work.bytes > 0) {
    add_row(table, "useful bandwidth", columns,
            [&](const auto& m) { return throughput_text(m, "B/s", work.bytes); });
  }
  const std::optional<double> roof_ns = model::roof_time_ns(work, roofs);
  if (roof_ns) {
    add_row(table, roof_heading(work, roofs), columns,
            [&](const auto& m) { return roof_share_text(m, *roof_ns); });
  }
}

// A measurement that has more counters than this in addition to the core set was made with the full set. Then
// only the core set is shown here, and `warptune profile` shows the rest.
constexpr std::ptrdiff_t kMaxBesideCore = 16;

bool has_full_set(const model::Counters& counters) {
  const auto catalogue = profiling::counters::metric_catalogue();
  return std::count_if(catalogue.begin(), catalogue.end(),
                       [&](const profiling::counters::MetricInfo& metric) {
                         return !metric.core && counters.contains(std::string(metric.name));
                       }) > kMaxBesideCore;
}

void add_counters(TextTable& table, const std::vector<ReportColumn>& columns) {
  const bool core_only = std::any_of(columns.begin(), columns.end(), [](const ReportColumn& column) {
    return has_full_set(column.measurement.counters);
  });
  for (const profiling::counters::MetricInfo& metric : profiling::counters::metric_catalogue()) {
    if (core_only && !metric.core) continue;
    const std::string name(metric.name);
    add_row(table, std::string(metric.title), columns, [&](const model::Measurement& measurement) {
      const auto counter = measurement.counters.find(name);
      return counter == measurement.counters.end() ? "" : format_counter(metric.unit, counter->second);
    });
  }
}

// Adds what warptune itself measures for a launch, unless the metric catalogue has it and has shown it.
void add_own_metrics(TextTable& table, const std::vector<ReportColumn>& columns) {
  struct OwnMetric {
    const char* name;
    const char* title;
    const char* unit;
  };
  static constexpr OwnMetric kOwn[] = {{model::own_metric::kEnergyJ, "energy per launch", "J"},
                                       {model::own_metric::kPowerW, "power", "W"},
                                       {model::own_metric::kSmClockMhz, "SM clock", "MHz"}};
  for (const OwnMetric& metric : kOwn) {
    const auto catalogue = profiling::counters::metric_catalogue();
    const bool shown =
        std::any_of(catalogue.begin(), catalogue.end(),
                    [&](const profiling::counters::MetricInfo& info) { return info.name == metric.name; });
    if (shown) continue;
    add_row(table, metric.title, columns, [&](const model::Measurement& measurement) {
      const auto found = measurement.counters.find(metric.name);
      return found == measurement.counters.end() ? "" : fmt::format("{:.4g} {}", found->second, metric.unit);
    });
  }
}

void add_resources(TextTable& table, const std::vector<ReportColumn>& columns) {
  const auto number = [](std::int64_t value) { return value == 0 ? std::string() : std::to_string(value); };
  add_row(table, "registers per thread", columns,
          [&](const auto& m) { return number(m.resources.registers_per_thread); });
  add_row(table, "threads per block", columns,
          [&](const auto& m) { return number(m.resources.threads_per_block); });
  add_row(table, "blocks", columns, [&](const auto& m) { return number(m.resources.blocks); });
  add_row(table, "shared bytes per block", columns, [](const auto& m) {
    return m.resources.threads_per_block == 0
               ? std::string()
               : std::to_string(m.resources.static_shared_bytes + m.resources.dynamic_shared_bytes);
  });
  add_row(table, "local bytes per thread", columns,
          [&](const auto& m) { return number(m.resources.local_bytes); });
  add_row(table, "occupancy limit", columns, [](const auto& m) {
    const std::optional<double> occupancy = m.resources.theoretical_occupancy;
    return occupancy ? fmt::format("{:.3g} %", 100 * *occupancy) : std::string();
  });
}

// Confirmations of recordings and other files are not believed, so such a row is neither confirmed nor not.
std::string_view confirmed_text(const model::Measurement& row) {
  if (db::is_confirmed(row)) return "yes";
  return row.source == model::RowSource::kMeasured ? "no" : model::to_string(row.source);
}

}  // namespace

std::vector<ReportColumn> default_and_best(const std::optional<model::Measurement>& default_measurement,
                                           const model::Measurement& best) {
  std::vector<ReportColumn> columns;
  const bool same = default_measurement &&
                    model::key_of(default_measurement->configuration) == model::key_of(best.configuration);
  if (default_measurement && !same) columns.push_back({"default", *default_measurement});
  columns.push_back({same ? "best (the default)" : "best", best});
  return columns;
}

std::vector<ParetoPoint> pareto_points(std::vector<model::Measurement> rows,
                                       const model::Objective& objective) {
  std::erase_if(rows, [&](const model::Measurement& row) {
    return row.status != model::Status::kMeasured || !objective.values(row);
  });
  model::keep_best_source(rows);
  std::vector<std::vector<double>> values;
  values.reserve(rows.size());
  for (const model::Measurement& row : rows) values.push_back(*objective.values(row));
  std::vector<ParetoPoint> points;
  for (const std::size_t index : model::pareto_front(values))
    points.push_back({values[index], std::move(rows[index])});
  return points;
}

std::vector<ParetoPoint> pareto_points(const db::Store& store, const model::Workload& workload,
                                       const model::Objective& objective) {
  if (objective.parts().size() < 2) return {};
  std::vector<db::ObjectiveValues> all = store.objective_values(workload, objective);
  while (true) {
    std::vector<db::ObjectiveValues> rated = all;
    model::keep_best_source(rated);
    std::vector<std::vector<double>> values;
    values.reserve(rated.size());
    for (const db::ObjectiveValues& row : rated) values.push_back(row.parts);
    std::vector<ParetoPoint> points;
    std::set<std::int64_t> damaged;
    for (const std::size_t index : model::pareto_front(values)) {
      std::optional<db::StoredMeasurement> row = store.measurement(rated[index].id);
      if (row && objective.values(row->measurement) == values[index]) {
        points.push_back({values[index], std::move(row->measurement)});
      } else {
        damaged.insert(rated[index].id);
      }
    }
    if (damaged.empty()) return points;
    // Rows that a damaged row dominated may belong to the front, also those of another source.
    std::erase_if(all, [&](const db::ObjectiveValues& row) { return damaged.count(row.id) != 0; });
  }
}

std::string pareto_table(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                         const model::Work& work, const model::Roofs& roofs) {
  const std::optional<double> roof_ns = model::roof_time_ns(work, roofs);
  std::vector<std::string> heading;
  std::vector<std::size_t> right;
  for (const std::string& part : objective.parts()) {
    right.push_back(heading.size());
    heading.push_back(part);
    if (part != "time") continue;
    heading.emplace_back("95 % interval");
    if (roof_ns) right.push_back(heading.size());
    if (roof_ns) heading.push_back(roof_heading(work, roofs));
  }
  heading.emplace_back("confirmed");
  heading.emplace_back("configuration");
  TextTable table(std::move(heading), std::move(right));
  for (const ParetoPoint& point : points) {
    std::vector<std::string> row;
    for (std::size_t i = 0; i < point.values.size(); ++i) {
      row.push_back(objective_value_text(objective.parts()[i], point.values[i]));
      if (objective.parts()[i] != "time") continue;
      row.push_back(interval_text(point.measurement));
      if (roof_ns) row.push_back(roof_share_text(point.measurement, *roof_ns));
    }
    row.emplace_back(confirmed_text(point.measurement));
    row.push_back(model::to_text(point.measurement.configuration));
    table.add(std::move(row));
  }
  return table.text();
}

std::string pareto_text(const std::vector<ParetoPoint>& points, const model::Objective& objective,
                        const model::Work& work, const model::Roofs& roofs, double product) {
  const bool all_confirmed = std::none_of(points.begin(), points.end(), [](const ParetoPoint& point) {
    return point.measurement.source == model::RowSource::kMeasured && !db::is_confirmed(point.measurement);
  });
  return fmt::format("Pareto front of {}: {}\n{}{}\nof these, the smallest product of {}: {}\n",
                     objective.text(), base::counted(points.size(), "configuration"),
                     pareto_table(points, objective, work, roofs),
                     all_confirmed ? "" : "not confirmed: a session verifies only its best on new inputs\n",
                     objective.text(), objective_value_text("", product));
}

std::string comparison_table(const std::vector<ReportColumn>& columns, const model::Work& work,
                             const model::Roofs& roofs) {
  std::vector<std::string> heading = {""};
  std::vector<std::size_t> right;
  for (const ReportColumn& column : columns) {
    heading.push_back(column.title);
    right.push_back(heading.size() - 1);
  }
  TextTable table(std::move(heading), std::move(right));
  add_parameters(table, columns);
  add_rates(table, columns, work, roofs);
  add_counters(table, columns);
  add_own_metrics(table, columns);
  add_resources(table, columns);
  return table.text();
}

}  // namespace warptune::tuner::text_output
