#include "db/recordings/recording_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>
#include <type_traits>

#include "base/error.h"
#include "model/fields.h"
#include "model/measurement.h"
#include "model/outputs/reproducibility.h"

namespace warptune::db::recordings {

namespace {

// Times are stored in tenths of a nanosecond. Doubles represent every integer only up to 2^53.
constexpr double kMaxTenths = 9007199254740992.0;

bool fits_tenths(double time_ns) { return std::isfinite(time_ns) && std::abs(time_ns) * 10.0 < kMaxTenths; }

std::int64_t tenths(const std::optional<double>& time_ns) {
  return time_ns && fits_tenths(*time_ns) ? std::llround(*time_ns * 10.0) : 0;
}

Json time_to_json(const std::optional<double>& time_ns, std::int64_t base) {
  if (!time_ns || !fits_tenths(*time_ns)) return nullptr;
  return tenths(time_ns) - base;
}

Json samples_to_json(const model::Measurement& measurement) {
  const std::int64_t base = tenths(model::median_ns_of(measurement));
  Json samples = Json::array();
  for (const double sample : measurement.samples_ns) samples.push_back(time_to_json(sample, base));
  return samples;
}

Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Json milliseconds(double value_ms) {
  if (!fits_tenths(value_ms)) return nullptr;
  return std::round(value_ms * 1000.0) / 1000.0;
}

Json indices_of(const model::Measurement& measurement, const std::vector<model::Parameter>& parameters) {
  Json indices = Json::array();
  for (const model::Parameter& parameter : parameters) {
    const model::Value* value = model::find(measurement.configuration, parameter.name);
    if (value == nullptr) {
      throw base::InternalError(
          fmt::format("a measurement of a recording has no value of parameter {}", parameter.name));
    }
    const auto found = std::find(parameter.values.begin(), parameter.values.end(), *value);
    if (found == parameter.values.end()) {
      throw base::InternalError(
          fmt::format("a measurement of a recording has {}={}, which is not one of the parameter's values",
                      parameter.name, model::to_text(*value)));
    }
    indices.push_back(found - parameter.values.begin());
  }
  return indices;
}

Json counters_to_json(const model::Counters& counters, const std::vector<std::string>& names) {
  Json row = Json::array();
  if (counters.empty()) return row;
  constexpr int kDigits = 6;
  for (const std::string& name : names) {
    const auto found = counters.find(name);
    row.push_back(found == counters.end() ? Json(nullptr) : rounded(found->second, kDigits));
  }
  return row;
}

// Visits the numbers of a resource use as they are stored: an unknown number is stored as 0.
template <model::MaybeConst<model::ResourceUse> Object, class Visit>
void visit_stored_numbers(Object& use, Visit visit) {
  model::visit_fields(use, [&](const char* name, auto& value) {
    if constexpr (requires { model::stored_number(value); }) {
      auto number = model::stored_number(value);
      visit(name, number);
      if constexpr (!std::is_const_v<Object>) value = model::from_stored_number(number);
    } else {
      visit(name, value);
    }
  });
}

Json resources_to_json(const model::ResourceUse& use) {
  constexpr int kDigits = 6;
  Json row = Json::array();
  visit_stored_numbers(use, [&](const char*, const auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      row.push_back(rounded(value, kDigits));
    } else {
      row.push_back(value);
    }
  });
  return row;
}

// Returns the cell if it is an array. Throws an error with the column's name otherwise.
const Json& array_cell(const Json& cell, const char* name) {
  if (!cell.is_array())
    throw base::InputError(fmt::format("{}: expected an array, found {}", name, compact(cell)));
  return cell;
}

// A number that JSON cannot represent was written as null.
double real_cell(const Json& cell, const char* name) {
  if (cell.is_null()) return model::or_nan(std::nullopt);
  return real_of(cell, name);
}

std::optional<double> time_cell(const Json& cell, std::int64_t base, const char* name) {
  if (cell.is_null()) return std::nullopt;
  const auto total = static_cast<double>(integer_of(cell, name)) + static_cast<double>(base);
  if (std::abs(total) >= kMaxTenths) {
    throw base::InputError(
        fmt::format("{}: expected less than 2^53 tenths of a nanosecond, found {}", name, total));
  }
  return total / 10.0;
}

model::NamedValues configuration_cell(const Json& cell, const std::vector<model::Parameter>& parameters) {
  if (array_cell(cell, "configuration").size() != parameters.size()) {
    throw base::InputError(
        fmt::format("configuration: expected {} indices, found {}", parameters.size(), cell.size()));
  }
  model::NamedValues configuration;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const model::Parameter& parameter = parameters[i];
    const std::int64_t index = integer_of(cell[i], parameter.name.c_str());
    if (index < 0 || static_cast<std::size_t>(index) >= parameter.values.size()) {
      throw base::InputError(fmt::format("{}: expected an index below {}, found {}", parameter.name,
                                         parameter.values.size(), index));
    }
    configuration.emplace_back(parameter.name, parameter.values[static_cast<std::size_t>(index)]);
  }
  return configuration;
}

model::Counters counters_cell(const Json& cell, const std::vector<std::string>& names) {
  model::Counters counters;
  if (array_cell(cell, "counters").empty()) return counters;
  if (cell.size() != names.size()) {
    throw base::InputError(
        fmt::format("counters: expected no values or {} of them, found {}", names.size(), cell.size()));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!cell[i].is_null()) counters[names[i]] = real_cell(cell[i], names[i].c_str());
  }
  return counters;
}

model::ResourceUse resources_cell(const Json& cell) {
  model::ResourceUse use;
  std::size_t count = 0;
  model::visit_fields(use, [&](const char*, const auto&) { ++count; });
  if (array_cell(cell, "resources").size() != count) {
    throw base::InputError(fmt::format("resources: expected {} numbers, found {}", count, cell.size()));
  }
  std::size_t next = 0;
  visit_stored_numbers(use, [&](const char* name, auto& value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      value = real_cell(cell[next++], name);
    } else {
      value = integer_of(cell[next++], name);
    }
  });
  return use;
}

}  // namespace

const std::vector<std::string>& row_columns() {
  static const std::vector<std::string> columns = {"configuration", "status",    "reason",    "time",
                                                   "samples",       "counters",  "resources", "compile_ms",
                                                   "measure_ms",    "time_stamp"};
  return columns;
}

RowContext row_context(const model::Recording& recording) {
  RowContext context;
  std::set<std::string> names;
  if (!recording.measurements.empty()) context.time_base_ms = recording.measurements.front().time_stamp_ms;
  for (const model::Measurement& measurement : recording.measurements) {
    for (const auto& [name, value] : measurement.counters) {
      if (!model::outputs::is_digest(name)) names.insert(name);
    }
    context.time_base_ms = std::min(context.time_base_ms, measurement.time_stamp_ms);
  }
  context.counters.assign(names.begin(), names.end());
  return context;
}

Json row_to_json(const model::Measurement& measurement, const model::Recording& recording,
                 const RowContext& context) {
  const std::optional<double> median_ns = model::median_ns_of(measurement);
  const std::int64_t median = tenths(median_ns);
  return Json::array(
      {indices_of(measurement, recording.parameters), std::string(model::to_string(measurement.status)),
       measurement.reason,
       Json::array({time_to_json(median_ns, 0), time_to_json(model::low_ns_of(measurement), median),
                    time_to_json(model::high_ns_of(measurement), median)}),
       samples_to_json(measurement), counters_to_json(measurement.counters, context.counters),
       resources_to_json(measurement.resources), milliseconds(measurement.compile_ms),
       milliseconds(measurement.measure_ms), measurement.time_stamp_ms - context.time_base_ms});
}

model::Measurement row_from_json(const Json& row, const std::vector<model::Parameter>& parameters,
                                 const RowContext& context) {
  if (array_cell(row, "row").size() != row_columns().size()) {
    throw base::InputError(
        fmt::format("row: expected {} columns, found {}", row_columns().size(), row.size()));
  }
  model::Measurement measurement;
  measurement.configuration = configuration_cell(row[0], parameters);
  const std::string status = text_of(row[1], "status");
  const auto parsed = model::parse_status(status);
  if (!parsed)
    throw base::InputError(fmt::format("status: expected a status that warptune knows, found '{}'", status));
  measurement.status = *parsed;
  measurement.reason = text_of(row[2], "reason");
  if (array_cell(row[3], "time").size() != 3) {
    throw base::InputError(fmt::format("time: expected median, low and high, found {}", compact(row[3])));
  }
  const std::optional<double> median_ns = time_cell(row[3][0], 0, "median");
  const std::int64_t median = tenths(median_ns);
  const std::optional<double> low_ns = time_cell(row[3][1], median, "low");
  const std::optional<double> high_ns = time_cell(row[3][2], median, "high");
  if (median_ns || low_ns || high_ns) measurement.time = {model::or_nan(median_ns), low_ns, high_ns};
  for (const Json& sample : array_cell(row[4], "samples")) {
    measurement.samples_ns.push_back(model::or_nan(time_cell(sample, median, "sample")));
  }
  measurement.counters = counters_cell(row[5], context.counters);
  model::drop_unpatched_counters(measurement.counters);
  measurement.resources = resources_cell(row[6]);
  measurement.compile_ms = real_cell(row[7], "compile_ms");
  measurement.measure_ms = real_cell(row[8], "measure_ms");
  if (__builtin_add_overflow(integer_of(row[9], "time_stamp"), context.time_base_ms,
                             &measurement.time_stamp_ms)) {
    throw base::InputError(fmt::format("time_stamp: expected a time of 64 bits, found {}", compact(row[9])));
  }
  return measurement;
}

}  // namespace warptune::db::recordings
