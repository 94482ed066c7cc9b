#include "tuner/lab/lab_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/text.h"
#include "model/fields.h"
#include "model/objective.h"

namespace warptune::tuner::lab {

using model::Expression;
using model::Value;

namespace {

// Turns a number into a real, so that `/` never truncates.
Value real_of(const Value& value) {
  const std::optional<double> number = model::to_number(value);
  return number && model::type_of(value) != model::ValueType::kBoolean ? Value(*number) : value;
}

}  // namespace

LabNumbers::LabNumbers(const LabResult& result) : result_(result) {
  model::visit_fields(result.plan.gpu, [this](const char* name, const auto& member) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(member)>>)
      constants_["gpu." + std::string(name)] = static_cast<double>(member);
  });
  constants_["gpu.compute_capability"] =
      static_cast<double>(10 * result.plan.gpu.compute_major + result.plan.gpu.compute_minor);
  const model::Roofs roofs = result.roofs();
  for (const model::RoofKind& kind : model::measured_roofs()) {
    const char* unit = kind.is_memory ? "bytes" : "flops";
    constants_[fmt::format("roofs.{}_{}_per_s", kind.name, unit)] = model::stored_number(roofs.*kind.value);
  }
  constants_["roofs.fp32_theory_flops_per_s"] = model::stored_number(roofs.fp32_theory_flops_per_s);
  for (std::size_t table = 0; table < result.rows.size(); ++table) {
    const kernel_templates::ExperimentTable& written = result.plan.experiment.tables[table];
    for (std::size_t row = 0; row < result.rows[table].size(); ++row)
      add_row(written.name + "." + written.rows[row].id, result.rows[table][row]);
  }
  compute_quantities();
}

void LabNumbers::add_row(const std::string& name, const LabRow& row) {
  Row& made = rows_[name];
  made.reason = row.reason;
  if (!row.measurement) return;
  const model::Measurement& measurement = *row.measurement;
  const model::Recording& recording = result_.recordings[row.session.value()];
  made.work = recording.work;
  made.roof_ns = model::roof_time_ns(recording.work, recording.roofs);
  made.samples_ns = measurement.samples_ns;
  for (const auto& [entry, value] : recording.workload.problem) made.names[entry] = real_of(value);
  for (const auto& [entry, value] : measurement.configuration) made.names[entry] = real_of(value);
  for (const auto& [metric, value] : measurement.counters) {
    if (std::isfinite(value)) made.names[metric] = value;
  }
  for (const auto& [resource, value] : model::resource_values(measurement.resources))
    made.names[std::string(resource)] = real_of(value);
  made.names["compile_ms"] = measurement.compile_ms;
  if (const auto low_ns = model::low_ns_of(measurement)) made.names["time_low_ns"] = *low_ns;
  if (const auto high_ns = model::high_ns_of(measurement)) made.names["time_high_ns"] = *high_ns;
  made.names["flops"] = recording.work.flops;
  made.names["bytes"] = recording.work.bytes;
  if (measurement.time) set_time(made, measurement.time->median_ns);
}

void LabNumbers::set_time(Row& row, double median_ns) {
  row.names["time_ns"] = median_ns;
  row.names["time_us"] = median_ns * 1e-3;
  row.names["time_ms"] = median_ns * 1e-6;
  row.names["gflop_per_s"] = row.work.flops / median_ns;
  row.names["gb_per_s"] = row.work.bytes / median_ns;
  row.names["roof_share"] = row.roof_ns.value_or(0.0) / median_ns;
}

void LabNumbers::compute_quantities() {
  quantities_.clear();
  unknown_.clear();
  for (const auto& [name, expression] : result_.plan.experiment.quantities) {
    auto value = value_of(expression, Names());
    if (value) {
      quantities_[name] = real_of(*value);
    } else {
      unknown_[name] = value.error();
    }
  }
}

base::Result<Value> LabNumbers::value_named(const std::string& name) const {
  if (const auto found = quantities_.find(name); found != quantities_.end()) return found->second;
  if (const auto found = unknown_.find(name); found != unknown_.end()) return base::failure(found->second);
  if (const auto found = constants_.find(name); found != constants_.end()) return found->second;
  const std::size_t first = name.find('.');
  const std::size_t second = first == std::string::npos ? first : name.find('.', first + 1);
  const auto row = second == std::string::npos ? rows_.end() : rows_.find(name.substr(0, second));
  if (row == rows_.end()) return base::failure(fmt::format("the name '{}' is unknown", name));
  if (row->second.names.empty())
    return base::failure(fmt::format("{} was not measured: {}", row->first, row->second.reason));
  const auto found = row->second.names.find(name.substr(second + 1));
  if (found == row->second.names.end())
    return base::failure(fmt::format("{} has no {}", row->first, name.substr(second + 1)));
  return found->second;
}

base::Result<Value> LabNumbers::value_of(const Expression& expression, const Names& extra) const {
  return value_of(expression, [&](const std::string& name) -> base::Result<Value> {
    const auto found = extra.find(name);
    return found != extra.end() ? base::Result<Value>(found->second) : value_named(name);
  });
}

base::Result<Value> LabNumbers::value_of(
    const Expression& expression, const std::function<base::Result<Value>(const std::string&)>& named) {
  std::vector<Value> values;
  for (const std::string& name : expression.variables()) {
    auto value = named(name);
    if (!value) return value;
    values.push_back(std::move(*value));
  }
  std::vector<const Value*> slots;
  slots.reserve(values.size());
  for (const Value& value : values) slots.push_back(&value);
  return expression.evaluate_slots(slots.data());
}

namespace {

base::Result<double> number_of(const base::Result<Value>& value) {
  if (!value) return base::failure(value.error());
  const std::optional<double> number = model::to_number(*value);
  if (!number || !std::isfinite(*number))
    return base::failure(fmt::format("expected a number, found {}", model::to_literal(*value)));
  return *number;
}

}  // namespace

base::Result<double> LabNumbers::evaluate(const Expression& expression, const std::string& extra,
                                          double extra_value) const {
  return number_of(value_of(expression, extra.empty() ? Names() : Names{{extra, extra_value}}));
}

base::Result<bool> LabNumbers::holds(const Expression& expression, double value) const {
  const auto truth = value_of(expression, Names{{"value", value}});
  if (!truth) return base::failure(truth.error());
  return model::to_truth(*truth);
}

base::Result<double> LabNumbers::of_row(std::size_t table, std::size_t row,
                                        const Expression& expression) const {
  const kernel_templates::ExperimentTable& written = result_.plan.experiment.tables.at(table);
  const Row& known = rows_.at(written.name + "." + written.rows.at(row).id);
  if (known.names.empty()) return base::failure(known.reason);
  return number_of(value_of(expression, [&](const std::string& name) -> base::Result<Value> {
    const auto found = known.names.find(name);
    return found != known.names.end() ? base::Result<Value>(found->second) : value_named(name);
  }));
}

void LabNumbers::resample(base::Random& random) {
  for (auto& [name, row] : rows_) {
    if (row.samples_ns.empty()) continue;
    std::vector<double> drawn;
    drawn.reserve(row.samples_ns.size());
    for (std::size_t i = 0; i < row.samples_ns.size(); ++i)
      drawn.push_back(row.samples_ns[random.below(row.samples_ns.size())]);
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::nth_element(drawn.begin(), middle, drawn.end());
    set_time(row, *middle);
  }
  compute_quantities();
}

std::string lab_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0.0) return "0";
  const double size = std::abs(value);
  if (size >= 1e7 || size < 1e-3) return fmt::format("{:.3g}", value);
  if (size >= 100.0) return fmt::format("{:.0f}", value);
  if (std::abs(value - std::round(value)) < 1e-9) return fmt::format("{:.0f}", value);
  const int digits = 2 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", value, digits);
}

std::string lab_number(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

}  // namespace warptune::tuner::lab
