// Makes a recording of the rows of another tuner's file.
//
// The type of a parameter is known only after the last row. Until then each parameter (column) has a list of
// the values that occurred, and a row stores their positions in these lists. `finish` converts each list to
// one type, orders it, and replaces the positions by indices into the ordered list. The conversion can make
// two values equal (1 and "1"), so repeated configurations are found after it.
#include "db/formats/imported_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "db/formats/plausible_times.h"
#include "model/fields.h"
#include "model/median.h"

namespace warptune::db::formats {

namespace {

using model::Value;
using model::ValueType;

// The value of a cell. Null (NaN is read as null), arrays and objects have no value.
std::optional<Value> raw_value(const recordings::Json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_unsigned()) {
    const auto value = json.get<std::uint64_t>();
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Value(static_cast<std::int64_t>(value));
    }
    return Value(static_cast<double>(value));
  }
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_string()) return Value(json.get<std::string>());
  return std::nullopt;
}

// Names what was found in the place of a value.
std::string kind_of(const recordings::Json* json) {
  if (json == nullptr) return "none";
  return json->is_null() ? "null or NaN" : fmt::format("an {}", json->type_name());
}

// Reads true and false as C and Python write them.
std::optional<bool> truth_of(const std::string& text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  return std::nullopt;
}

// Converts a value to `type`. Returns std::nullopt if that would lose information.
std::optional<Value> as_type(const Value& value, ValueType type) {
  if (type == ValueType::kText) return Value(model::to_text(value));
  if (const auto* text = std::get_if<std::string>(&value)) {
    const std::optional<bool> truth = truth_of(*text);
    if (type == ValueType::kBoolean) return truth ? std::optional<Value>(*truth) : std::nullopt;
    if (truth) return as_type(Value(*truth), type);
    return model::parse_value(*text, type);
  }
  if (model::type_of(value) > type) return std::nullopt;
  if (model::type_of(value) == type) return value;
  const double number = *model::to_number(value);
  if (type == ValueType::kReal) return Value(number);
  return Value(static_cast<std::int64_t>(number));
}

ValueType common_type(const std::vector<Value>& values) {
  for (const ValueType type : {ValueType::kBoolean, ValueType::kInteger, ValueType::kReal}) {
    const bool fits = std::all_of(values.begin(), values.end(),
                                  [&](const Value& value) { return as_type(value, type).has_value(); });
    if (fits) return type;
  }
  return ValueType::kText;
}

void scale(model::Measurement& measurement, double factor) {
  measurement.compile_ms *= factor;
  measurement.measure_ms *= factor;
  if (measurement.time) {
    model::TimeSummary& time = *measurement.time;
    time.median_ns *= factor;
    if (time.low_ns) *time.low_ns *= factor;
    if (time.high_ns) *time.high_ns *= factor;
  }
  for (double& sample : measurement.samples_ns) sample *= factor;
}

bool is_finite(const std::optional<double>& number) { return number && std::isfinite(*number); }

// Completes the time of a measured row. The median stays the time that the file gives. The interval is that
// of the file, or else it comes from the samples and is widened to include that time.
void add_interval(model::TimeSummary& time, const std::vector<double>& samples_ns) {
  if (is_finite(time.low_ns) && is_finite(time.high_ns)) return;
  const double centre = time.median_ns;
  const std::optional<model::MedianInterval> interval = model::median_interval(samples_ns);
  const bool known = interval && std::isfinite(interval->low) && std::isfinite(interval->high);
  time.low_ns = known ? std::min(centre, interval->low) : centre;
  time.high_ns = known ? std::max(centre, interval->high) : centre;
}

std::string bytes_of(const std::vector<std::uint32_t>& cells) {
  return {reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(cells[0])};
}

}  // namespace

void ImportedRows::set_parameters(const std::vector<std::string>& names) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw base::InputError(fmt::format("parameter {} is listed twice", name), {path_.string(), 0, 0});
    }
    columns_.push_back({name, {}, {}, {}});
  }
}

void ImportedRows::declare_values(const std::string& name, const recordings::Json& values) {
  const std::size_t column = position(name, 0);
  if (column == columns_.size() || !values.is_array()) return;
  for (const recordings::Json& json : values) {
    if (auto value = raw_value(json)) columns_[column].declared.push_back(*std::move(value));
  }
}

std::size_t ImportedRows::position(const std::string& name, std::size_t hint) const {
  if (hint < columns_.size() && columns_[hint].name == name) return hint;
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.name == name; });
  return static_cast<std::size_t>(found - columns_.begin());
}

void ImportedRows::add(const std::vector<const recordings::Json*>& values, model::Measurement measurement,
                       const std::string& row_name) {
  Cells cells(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    Column& column = columns_[i];
    std::optional<Value> value = values[i] == nullptr ? std::nullopt : raw_value(*values[i]);
    if (!value) {
      throw base::InputError(fmt::format("{}: expected a value of parameter {}, found {}", row_name,
                                         column.name, kind_of(values[i])),
                             {path_.string(), 0, 0});
    }
    const auto next = static_cast<std::uint32_t>(column.values.size());
    const auto [place, is_new] = column.positions.try_emplace(*std::move(value), next);
    if (is_new) column.values.push_back(place->first);
    cells[i] = place->second;
  }
  const std::optional<double> time = model::median_ns_of(measurement);
  if (measurement.status == model::Status::kMeasured && !(is_finite(time) && time > 0.0)) {
    measurement.status = model::Status::kLaunchFailed;
    measurement.reason =
        fmt::format("its recorded time is {}, which is not a positive number", model::or_nan(time));
    ++invalid_time_count_;
  }
  for (double* cost : {&measurement.compile_ms, &measurement.measure_ms}) {
    if (!std::isfinite(*cost) || *cost < 0.0) *cost = 0.0;
  }
  if (measurement.status == model::Status::kMeasured) {
    add_interval(*measurement.time, measurement.samples_ns);
  } else if (measurement.status != model::Status::kDropped) {
    measurement.time.reset();
  }
  memory_.add(measurement);
  cells_.push_back(std::move(cells));
  measurements_.push_back(std::move(measurement));
}

ImportedRows::FinalColumn ImportedRows::finish_column(const Column& column) const {
  std::vector<Value> all = column.values;
  all.insert(all.end(), column.declared.begin(), column.declared.end());
  const bool is_one_type = std::all_of(all.begin(), all.end(), [&](const Value& value) {
    return model::type_of(value) == model::type_of(all.front());
  });
  const ValueType type =
      keep_types_ && is_one_type && !all.empty() ? model::type_of(all.front()) : common_type(all);
  std::vector<Value> occurring;
  for (const Value& value : column.values) occurring.push_back(*as_type(value, type));
  const std::set<Value> measured(occurring.begin(), occurring.end());
  std::vector<Value> ordered;
  std::map<Value, std::uint32_t> places;
  const auto append = [&](const Value& value) {
    if (places.try_emplace(value, static_cast<std::uint32_t>(ordered.size())).second)
      ordered.push_back(value);
  };
  for (const Value& value : column.declared) {
    const Value converted = *as_type(value, type);
    if (measured.count(converted) != 0) append(converted);
  }
  std::vector<Value> rest = occurring;
  if (type != ValueType::kText) std::sort(rest.begin(), rest.end());
  for (const Value& value : rest) append(value);
  FinalColumn result;
  for (const Value& value : occurring) result.index_of.push_back(places.at(value));
  result.parameter.name = column.name;
  result.parameter.values = std::move(ordered);
  return result;
}

std::vector<std::size_t> ImportedRows::without_repeats(const std::vector<FinalColumn>& columns) const {
  std::unordered_map<std::string, std::size_t> place_of;
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < cells_.size(); ++row) {
    Cells cells = cells_[row];
    for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = columns[i].index_of[cells[i]];
    const auto [place, is_new] = place_of.try_emplace(bytes_of(cells), kept.size());
    if (is_new) {
      kept.push_back(row);
    } else {
      kept[place->second] = row;
    }
  }
  return kept;
}

void ImportedRows::warn_of_rows(std::size_t kept, std::uint64_t implausible_count) const {
  if (kept < measurements_.size()) {
    base::log_warning(fmt::format(
        "{}: {} of {} rows repeat a configuration; only the last row of each configuration counts",
        path_.string(), measurements_.size() - kept, measurements_.size()));
  }
  if (invalid_time_count_ > 0) {
    base::log_warning(fmt::format("{}: {} a time that is not a positive number, which counts as failed",
                                  path_.string(),
                                  base::counted(invalid_time_count_, "row has", "rows have")));
  }
  if (implausible_count > 0) {
    base::log_warning(
        fmt::format("{}: {} a time that cannot be right, which counts as failed: below 1 ns, above 1e6 s, or "
                    "not among its samples",
                    path_.string(), base::counted(implausible_count, "row has", "rows have")));
  }
}

model::Recording ImportedRows::finish(double time_factor) {
  if (measurements_.empty()) {
    throw base::InputError("expected measured configurations, but the file has none", {path_.string(), 0, 0});
  }
  model::Recording recording;
  recording.listed = true;
  recording.workload.cache = model::CacheState::kUnknown;  // None of the formats says it.
  std::vector<FinalColumn> columns;
  for (const Column& column : columns_) {
    columns.push_back(finish_column(column));
    columns.back().parameter.position = {path_.string(), 0, 0};
    recording.parameters.push_back(columns.back().parameter);
  }
  const std::vector<std::size_t> kept = without_repeats(columns);
  recording.measurements.reserve(kept.size());
  std::uint64_t implausible_count = 0;
  for (const std::size_t row : kept) {
    model::Measurement& measurement = measurements_[row];
    measurement.configuration.reserve(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const model::Parameter& parameter = columns[i].parameter;
      measurement.configuration.emplace_back(parameter.name,
                                             parameter.values[columns[i].index_of[cells_[row][i]]]);
    }
    scale(measurement, time_factor);
    implausible_count += fail_if_implausible(measurement) ? 1U : 0U;
    recording.measurements.push_back(std::move(measurement));
  }
  warn_of_rows(kept.size(), implausible_count);
  return recording;
}

}  // namespace warptune::db::formats
