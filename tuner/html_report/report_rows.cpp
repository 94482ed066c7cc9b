// The rows of a report's workload as columns of JSON.
#include "tuner/html_report/report_rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "model/outputs/reproducibility.h"
#include "search/analysis/timed_rows.h"
#include "tuner/html_report/report_numbers.h"

namespace warptune::tuner::html_report {

using model::Measurement;
using model::Status;
using nlohmann::ordered_json;

namespace {

constexpr int kCounterDigits = 5;

// For each parameter a column: the index of each row's value in the parameter's list, or -1.
ordered_json choices_of(const model::Recording& recording, const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::array();
  for (const model::Parameter& parameter : recording.parameters) {
    std::map<model::Value, std::ptrdiff_t> places;
    for (const model::Value& value : parameter.values)
      places.emplace(value, static_cast<std::ptrdiff_t>(places.size()));
    ordered_json column = ordered_json::array();
    for (const Measurement* row : rows) {
      const model::Value* value = model::find(row->configuration, parameter.name);
      const auto place = value == nullptr ? places.end() : places.find(*value);
      column.push_back(place == places.end() ? std::ptrdiff_t{-1} : place->second);
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

// Adds a column of numbers, with null where `of` gives no value. A column without a number is left out.
template <class Of>
void add_column(ordered_json& columns, const std::string& name, const std::vector<const Measurement*>& rows,
                int digits, Of of) {
  ordered_json column = ordered_json::array();
  bool any = false;
  for (const Measurement* row : rows) {
    const std::optional<double> number = of(*row);
    column.push_back(number ? report_number(*number, digits) : ordered_json(nullptr));
    any = any || !column.back().is_null();
  }
  if (any) columns[name] = std::move(column);
}

std::set<std::string> counter_names(const std::vector<const Measurement*>& rows) {
  std::set<std::string> names;
  for (const Measurement* row : rows) {
    for (const auto& [name, value] : row->counters) names.insert(name);
  }
  // A digest measures nothing, and the number of compared launches says nothing about the code.
  for (const std::string& name : model::outputs::output_bit_metrics()) names.erase(name);
  return names;
}

std::optional<double> known_if(bool known, const std::optional<double>& value) {
  return known ? value : std::nullopt;
}

}  // namespace

std::vector<const Measurement*> ordered_rows(const model::Recording& recording) {
  std::vector<const Measurement*> rows;
  rows.reserve(recording.measurements.size());
  for (const Measurement& row : recording.measurements) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const Measurement* a, const Measurement* b) {
    const int rank_a = search::analysis::has_time(*a) ? (a->status == Status::kDropped ? 1 : 0) : 2;
    const int rank_b = search::analysis::has_time(*b) ? (b->status == Status::kDropped ? 1 : 0) : 2;
    if (rank_a != rank_b || rank_a == 2) return rank_a < rank_b;
    return std::pair(a->source, a->time->median_ns) < std::pair(b->source, b->time->median_ns);
  });
  return rows;
}

ordered_json row_columns(const model::Recording& recording, const std::vector<const Measurement*>& rows) {
  ordered_json columns = {{"count", rows.size()}};
  columns["choices"] = choices_of(recording, rows);
  columns["status"] = ordered_json::array();
  for (const Measurement* row : rows) columns["status"].push_back(static_cast<int>(row->status));
  add_column(columns, "time_ns", rows, kTimeDigits, [](const Measurement& row) {
    return known_if(search::analysis::has_time(row), model::median_ns_of(row));
  });
  add_column(columns, "low_ns", rows, kTimeDigits, [](const Measurement& row) {
    return known_if(search::analysis::has_time(row), model::low_ns_of(row));
  });
  add_column(columns, "high_ns", rows, kTimeDigits, [](const Measurement& row) {
    return known_if(row.status == Status::kMeasured, model::high_ns_of(row));
  });
  for (const model::RowSource source : {model::RowSource::kReplayed, model::RowSource::kImported}) {
    ordered_json& marks = columns[std::string(model::to_string(source))];
    marks = ordered_json::array();
    for (const Measurement* row : rows) marks.push_back(row->source == source);
  }
  add_column(columns, "compile_ms", rows, 3, [](const Measurement& row) { return row.compile_ms; });
  return columns;
}

ordered_json resource_columns(const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::object();
  const auto add = [&](const char* name, auto of) {
    add_column(columns, name, rows, kTimeDigits, [&](const Measurement& row) {
      const model::ResourceUse& use = row.resources;
      return known_if(use.threads_per_block > 0 || use.registers_per_thread > 0, of(use));
    });
  };
  const auto real = [](std::int64_t number) { return static_cast<double>(number); };
  add("registers_per_thread", [&](const auto& use) { return real(use.registers_per_thread); });
  add("shared_bytes",
      [&](const auto& use) { return real(use.static_shared_bytes + use.dynamic_shared_bytes); });
  add("local_bytes", [&](const auto& use) { return real(use.local_bytes); });
  add("threads_per_block", [&](const auto& use) { return real(use.threads_per_block); });
  add("blocks", [&](const auto& use) { return known_if(use.blocks > 0, real(use.blocks)); });
  add("blocks_per_sm", [&](const auto& use) {
    return known_if(use.blocks_per_sm.has_value(), real(use.blocks_per_sm.value_or(0)));
  });
  add("theoretical_occupancy", [](const auto& use) { return use.theoretical_occupancy; });
  return columns;
}

ordered_json counter_columns(const std::vector<const Measurement*>& rows) {
  ordered_json columns = ordered_json::object();
  for (const std::string& name : counter_names(rows)) {
    add_column(columns, name, rows, kCounterDigits, [&](const Measurement& row) {
      const auto found = row.counters.find(name);
      return found == row.counters.end() ? std::nullopt : std::optional(found->second);
    });
  }
  return columns;
}

void add_reasons(ordered_json& form, const std::vector<const Measurement*>& rows) {
  std::map<std::string, std::size_t> known;
  ordered_json texts = ordered_json::array();
  ordered_json column = ordered_json::array();
  for (const Measurement* row : rows) {
    if (search::analysis::has_time(*row)) {
      column.push_back(-1);
      continue;
    }
    const auto [place, fresh] = known.emplace(row->reason, texts.size());
    if (fresh) texts.push_back(row->reason);
    column.push_back(place->second);
  }
  form["reasons"] = std::move(texts);
  form["rows"]["reason"] = std::move(column);
}

ordered_json place_of(const model::NamedValues& configuration, const std::vector<const Measurement*>& rows) {
  if (configuration.empty()) return nullptr;
  const std::string key = model::key_of(configuration);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (model::key_of(rows[i]->configuration) == key) return i;
  }
  return nullptr;
}

}  // namespace warptune::tuner::html_report
