// Finds the names in the expressions of an experiment, and those among them that have no value.
#include "tuner/lab/lab_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "model/own_metrics.h"
#include "profiling/counters/metrics.h"
#include "profiling/gpu.h"
#include "tuner/knowledge/workload.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

namespace {

using kernel_templates::Experiment;
using kernel_templates::ExperimentTable;

/// A name in an expression.
struct UsedName {
  std::string name;
  std::string table;  ///< The table of a column, whose names need no `TABLE.ROW.`. Otherwise empty.
  base::SourcePosition position;
};

class UsedNames {
 public:
  void add(const model::Expression& expression, const std::string& table = "") {
    for (const std::string& name : expression.variables())
      names_.push_back({name, table, expression.position()});
  }
  void add(const kernel_templates::TextWithNumbers& text) {
    for (const auto& number : text.numbers) add(number.value);
  }
  std::vector<UsedName> take() { return std::move(names_); }

 private:
  std::vector<UsedName> names_;
};

std::vector<UsedName> names_in(const Experiment& experiment) {
  UsedNames names;
  for (const ExperimentTable& table : experiment.tables) {
    for (const auto& column : table.columns) names.add(column.value, table.name);
  }
  for (const auto& [name, expression] : experiment.quantities) names.add(expression);
  for (const kernel_templates::Claim& claim : experiment.claims) {
    names.add(claim.value);
    names.add(claim.holds);
    if (claim.weaker) names.add(*claim.weaker);
    for (const auto* text : {&claim.because_holds, &claim.because_weaker, &claim.because_fails})
      names.add(*text);
    for (const kernel_templates::Evidence& evidence : claim.evidence) {
      for (const model::Expression& value : evidence.values) names.add(value);
    }
  }
  for (const kernel_templates::TheoryRow& row : experiment.theory) {
    names.add(row.value);
    names.add(row.expected);
  }
  return names.take();
}

// The counter that a name means, or an empty text. A counter has a dot in its name, alone or after TABLE.ROW.
std::string counter_of(const Experiment& experiment, const std::string& name) {
  if (name.starts_with("gpu.") || name.starts_with("roofs.")) return "";
  const std::size_t table = name.find('.');
  const bool of_a_row =
      table != std::string::npos && experiment.find_table(std::string_view(name).substr(0, table)) != nullptr;
  const std::string metric = of_a_row ? name.substr(name.find('.', table + 1) + 1) : name;
  return metric.find('.') == std::string::npos ? "" : metric;
}

// A measurement that has every number that a measurement of a session may have.
model::Measurement made_measurement(const LabSession& session, const model::NamedValues& configuration) {
  model::Measurement row;
  row.configuration = configuration;
  row.status = model::Status::kMeasured;
  row.time = model::TimeSummary{1.0, 1.0, 1.0};
  for (const auto& metric : profiling::counters::metric_catalogue())
    row.counters[std::string(metric.name)] = 1.0;
  for (const std::string& metric : session.metrics) row.counters[metric] = 1.0;
  for (const char* metric : {model::own_metric::kFirstLaunchNs, model::own_metric::kSmClockMhz,
                             model::own_metric::kSpillBytes, model::own_metric::kBytesToWrite,
                             model::own_metric::kErrorMaxAbsolute, model::own_metric::kErrorMaxRelative,
                             model::own_metric::kErrorMeanRelative, model::own_metric::kErrorMaxUlp})
    row.counters[metric] = 1.0;
  return row;
}

LabResult made_result(const LabPlan& plan) {
  LabResult result;
  result.plan = plan;
  for (const LabSession& session : plan.sessions)
    knowledge::describe_workload(result.recordings.emplace_back(), *session.instance, session.cache);
  for (const std::vector<PlannedRow>& table : plan.rows) {
    std::vector<LabRow>& rows = result.rows.emplace_back();
    for (const PlannedRow& planned : table) {
      LabRow& row = rows.emplace_back();
      row.session = planned.session;
      if (planned.session && !planned.candidates.empty())
        row.measurement = made_measurement(plan.sessions[*planned.session], planned.candidates.front());
    }
  }
  return result;
}

// Whether a row of the table has a number of this name, or no row of it can run.
bool may_be_in_column(const LabResult& result, const LabNumbers& numbers, const UsedName& used) {
  if (numbers.knows(used.name)) return true;
  const auto& tables = result.plan.experiment.tables;
  const auto table = std::find_if(tables.begin(), tables.end(),
                                  [&](const ExperimentTable& one) { return one.name == used.table; });
  const auto& rows = result.rows[static_cast<std::size_t>(table - tables.begin())];
  bool has_run = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].measurement) continue;
    has_run = true;
    if (numbers.knows(fmt::format("{}.{}.{}", used.table, table->rows[i].id, used.name))) return true;
  }
  return !has_run;
}

// Whether a name with dots means a row that has no such number, or a fact of the GPU that there is not.
bool is_unknown(const LabResult& result, const LabNumbers& numbers, const UsedName& used) {
  if (!used.table.empty()) return !may_be_in_column(result, numbers, used);
  const std::vector<std::string> parts = base::split(used.name, '.');
  if (parts.size() < 2 || numbers.knows(used.name)) return false;  // Reading checked the names without dots.
  const auto& tables = result.plan.experiment.tables;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i].name != parts[0]) continue;
    for (std::size_t j = 0; j < tables[i].rows.size(); ++j) {
      if (tables[i].rows[j].id == parts[1]) return result.rows[i][j].measurement.has_value();
    }
  }
  return true;
}

}  // namespace

std::set<std::string> metrics_named_in(const Experiment& experiment) {
  std::set<std::string> metrics;
  for (const UsedName& used : names_in(experiment)) {
    if (const std::string metric = counter_of(experiment, used.name); !metric.empty()) metrics.insert(metric);
  }
  return metrics;
}

std::vector<std::string> missing_counters(const LabPlan& plan) {
  const std::string chip = profiling::chip_by_capability(plan.gpu.compute_major, plan.gpu.compute_minor);
  const std::set<std::string> counters = metrics_named_in(plan.experiment);
  if (chip.empty() || counters.empty()) return {};
  try {
    return profiling::counters::plan_passes(chip, {counters.begin(), counters.end()}).unknown;
  } catch (const base::Error&) {
    return {};
  }
}

std::vector<std::string> name_problems(const LabPlan& plan,
                                       const std::vector<std::string>& missing_counters) {
  const LabResult result = made_result(plan);
  const LabNumbers numbers(result);
  std::vector<std::string> problems;
  for (const UsedName& used : names_in(plan.experiment)) {
    const bool lacks_counter = base::contains(missing_counters, counter_of(plan.experiment, used.name));
    if (!lacks_counter && !is_unknown(result, numbers, used)) continue;
    std::string problem =
        fmt::format("{}: {} '{}'", base::to_string(used.position),
                    lacks_counter ? "the GPU has no such counter:" : "there is no number", used.name);
    if (!base::contains(problems, problem)) problems.push_back(std::move(problem));
  }
  return problems;
}

}  // namespace warptune::tuner::lab
