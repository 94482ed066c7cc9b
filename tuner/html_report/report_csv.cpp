#include "tuner/html_report/report_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "model/fields.h"
#include "tuner/text_output/csv.h"

namespace warptune::tuner::html_report {

namespace {

using model::Measurement;

// The columns before those of the parameters.
constexpr const char* kWorkloadColumns = "kernel,problem,gpu,cache";
constexpr const char* kRowColumns =
    "status,reason,time_ns,low_ns,high_ns,compile_ms,registers_per_thread,shared_bytes,local_bytes,"
    "threads_per_block,blocks,blocks_per_sm,theoretical_occupancy,replayed,imported";

// The names of parameters in the order of their first appearance, and the names of counters in alphabetical
// order.
struct Columns {
  std::vector<std::string> parameters;
  std::set<std::string> counters;
};

Columns columns_of(const std::vector<ReportWorkload>& workloads) {
  Columns columns;
  for (const ReportWorkload& workload : workloads) {
    for (const model::Parameter& parameter : workload.recording.parameters) {
      if (std::find(columns.parameters.begin(), columns.parameters.end(), parameter.name) ==
          columns.parameters.end())
        columns.parameters.push_back(parameter.name);
    }
    for (const Measurement& row : workload.recording.measurements) {
      for (const auto& [name, value] : row.counters) columns.counters.insert(name);
    }
  }
  return columns;
}

// At most six significant digits. Empty for NaN and infinity.
std::string number_text(double value) { return std::isfinite(value) ? fmt::format("{:g}", value) : ""; }

// All digits that distinguish the value. Empty for infinity and for an unknown value.
std::string exact_text(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : "";
}

void append_row(std::string& text, const Measurement& row, const Columns& columns) {
  for (const std::string& name : columns.parameters) {
    const model::Value* value = model::find(row.configuration, name);
    text += ',';
    if (value != nullptr) text += text_output::csv_cell(model::to_text(*value));
  }
  const model::ResourceUse& use = row.resources;
  text += fmt::format(",{},{},{},{},{},{}", model::to_string(row.status), text_output::csv_cell(row.reason),
                      exact_text(model::median_ns_of(row)), exact_text(model::low_ns_of(row)),
                      exact_text(model::high_ns_of(row)), number_text(row.compile_ms));
  if (use.threads_per_block == 0 && use.registers_per_thread == 0) {
    text += ",,,,,,,";
  } else {
    text += fmt::format(",{},{},{},{},{},{},{}", use.registers_per_thread,
                        use.static_shared_bytes + use.dynamic_shared_bytes, use.local_bytes,
                        use.threads_per_block, use.blocks, model::stored_number(use.blocks_per_sm),
                        number_text(model::stored_number(use.theoretical_occupancy)));
  }
  text += fmt::format(",{},{}", row.source == model::RowSource::kReplayed,
                      row.source == model::RowSource::kImported);
  for (const std::string& name : columns.counters) {
    const auto found = row.counters.find(name);
    text += ',';
    if (found != row.counters.end()) text += exact_text(found->second);
  }
  text += '\n';
}

}  // namespace

std::string report_csv(const std::vector<ReportWorkload>& workloads) {
  const Columns columns = columns_of(workloads);
  std::string text = kWorkloadColumns;
  for (const std::string& name : columns.parameters) text += ',' + text_output::csv_cell(name);
  text += fmt::format(",{}", kRowColumns);
  for (const std::string& name : columns.counters) text += ',' + text_output::csv_cell(name);
  text += '\n';
  for (const ReportWorkload& workload : workloads) {
    const model::Workload& about = workload.recording.workload;
    const std::string head =
        fmt::format("{},{},{},{}", text_output::csv_cell(about.kernel),
                    text_output::csv_cell(model::to_text(about.problem)),
                    text_output::csv_cell(about.gpu.name), model::to_string(about.cache));
    for (const Measurement& row : workload.recording.measurements) {
      text += head;
      append_row(text, row, columns);
    }
  }
  return text;
}

}  // namespace warptune::tuner::html_report
