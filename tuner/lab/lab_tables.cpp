#include "tuner/lab/lab_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "profiling/diagnosis/diagnosis.h"
#include "tuner/explaining/diagnosis_input.h"

namespace warptune::tuner::lab {

namespace {

constexpr std::size_t kMaxFaults = 2;

// The unit for all times of a table, chosen by the longest time.
struct TableUnit {
  const char* name;
  double ns;
};

TableUnit table_unit(const std::vector<LabRow>& rows) {
  double longest = 0.0;
  for (const LabRow& row : rows) {
    if (row.measurement) longest = std::max(longest, row.measurement->time->median_ns);
  }
  if (longest >= 2e6) return {"ms", 1e6};
  return {"us", 1e3};
}

// The median with its interval. The width of the interval decides the number of digits: it is shown with
// about two significant digits.
std::string time_text(const model::TimeSummary& time, const TableUnit& unit) {
  if (!time.low_ns || !time.high_ns) return lab_number(time.median_ns / unit.ns, 1) + " (- to -)";
  const double width = std::max(*time.high_ns - *time.low_ns, 1e-3 * time.median_ns) / unit.ns;
  const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(width))), 0, 3);
  return fmt::format("{} ({} to {})", lab_number(time.median_ns / unit.ns, digits),
                     lab_number(*time.low_ns / unit.ns, digits), lab_number(*time.high_ns / unit.ns, digits));
}

// The names of at most `kMaxFaults` rules that find a fault. Faults that follow from another one are left
// out.
std::string faults_text(const model::Recording& recording, const model::Measurement& measurement) {
  const profiling::diagnosis::Diagnosis diagnosis =
      profiling::diagnosis::diagnose(explaining::diagnosis_input(recording, measurement));
  std::vector<std::string> rules;
  for (const profiling::diagnosis::Finding& finding : diagnosis.findings) {
    if (finding.severity == profiling::diagnosis::Severity::kFault && finding.follows_from.empty() &&
        rules.size() < kMaxFaults)
      rules.push_back(finding.rule);
  }
  return fmt::format("{}", fmt::join(rules, ", "));
}

const model::Measurement* baseline_of(const kernel_templates::ExperimentTable& table,
                                      const std::vector<LabRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (table.rows[i].id == table.baseline && rows[i].measurement) return &*rows[i].measurement;
  }
  return nullptr;
}

// With a sign, and with two digits after the point. A deviation that rounds to zero has no sign.
std::string deviation_text(double deviation) {
  const std::string text = fmt::format("{:+.2f}", deviation);
  return text.find_first_not_of("+-0.") == std::string::npos ? text.substr(1) : text;
}

}  // namespace

LabTable table_cells(const LabResult& result, const LabNumbers& numbers, std::size_t table) {
  const kernel_templates::ExperimentTable& written = result.plan.experiment.tables.at(table);
  const std::vector<LabRow>& rows = result.rows.at(table);
  const TableUnit unit = table_unit(rows);
  LabTable cells;
  cells.heading = {"row", fmt::format("time, {}", unit.name)};
  if (!written.baseline.empty()) cells.heading.emplace_back("relative time");
  for (const auto& column : written.columns) cells.heading.push_back(column.title);
  cells.heading.emplace_back("`profile` finds");
  const model::Measurement* baseline = baseline_of(written, rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const kernel_templates::ExperimentRow& row = written.rows[i];
    std::vector<std::string>& line = cells.rows.emplace_back();
    line.push_back(row.note.empty() ? row.label : fmt::format("{} ({})", row.label, row.note));
    if (!rows[i].measurement) {
      line.push_back(fmt::format("not measured: {}", base::first_line(rows[i].reason)));
      line.resize(cells.heading.size());
      continue;
    }
    const model::Measurement& measurement = *rows[i].measurement;
    line.push_back(time_text(*measurement.time, unit));
    if (!written.baseline.empty())
      line.push_back(
          baseline == nullptr ? "-" : lab_number(measurement.time->median_ns / baseline->time->median_ns));
    for (const auto& column : written.columns) {
      const auto value = numbers.of_row(table, i, column.value);
      line.push_back(!value ? "-" : column.digits ? lab_number(*value, *column.digits) : lab_number(*value));
    }
    line.push_back(faults_text(result.recordings[rows[i].session.value()], measurement));
  }
  return cells;
}

LabTable theory_cells(const LabJudgement& judgement) {
  LabTable cells;
  cells.heading = {"what theory says", "counter", "theory", "measured", "deviation", "tolerance", "result"};
  for (const JudgedTheory& row : judgement.theory) {
    std::vector<std::string>& line = cells.rows.emplace_back();
    line = {row.row->text, row.row->metric};
    if (!row.value) {
      line.insert(line.end(), {"", row.problem, "", "", "unknown"});
      continue;
    }
    // The deviation is relative. If the expected value is 0, it is absolute.
    const double scale = row.expected == 0.0 ? 1.0 : std::abs(row.expected);
    const char* unit = row.expected == 0.0 ? "" : " %";
    const double percent = row.expected == 0.0 ? 1.0 : 100.0;
    line.insert(line.end(), {lab_number(row.expected), lab_number(*row.value),
                             deviation_text(percent * (*row.value - row.expected) / scale) + unit,
                             fmt::format("{:g}{}", percent * row.row->tolerance, unit),
                             row.within ? "within" : "OUTSIDE"});
  }
  return cells;
}

std::string claim_value_text(const JudgedClaim& claim) {
  const std::string unit = claim.claim->unit.empty() ? "" : " " + claim.claim->unit;
  std::string text = lab_number(claim.value) + unit;
  if (claim.low == claim.high) return text;  // Without a time in it, the value has no interval.
  return fmt::format("{} (95 % interval: {} to {})", text, lab_number(claim.low), lab_number(claim.high));
}

std::string evidence_text(const JudgedEvidence& evidence) {
  std::vector<std::string> values;
  values.reserve(evidence.values.size());
  for (std::size_t i = 0; i < evidence.values.size(); ++i) {
    const std::string value = evidence.values[i] ? lab_number(*evidence.values[i]) : std::string("unknown");
    values.push_back(evidence.labels.empty() ? value : fmt::format("{} ({})", value, evidence.labels[i]));
  }
  return fmt::format("{}: {}", evidence.text, fmt::join(values, ", "));
}

std::string verdicts_text(const LabJudgement& judgement) {
  std::vector<std::string> parts;
  const auto add = [&](LabVerdict verdict, const char* one, const char* several) {
    const std::size_t count = judgement.count(verdict);
    if (count > 0) parts.push_back(base::counted(count, one, several));
  };
  add(LabVerdict::kHolds, "holds", "hold");
  add(LabVerdict::kPartial, "partially holds", "partially hold");
  add(LabVerdict::kFails, "does not hold", "do not hold");
  add(LabVerdict::kUnknown, "undetermined", "undetermined");
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string table_workload(const LabResult& result, std::size_t table) {
  std::vector<std::string> workloads;
  std::set<std::size_t> seen;
  for (const LabRow& row : result.rows.at(table)) {
    if (!row.session || !seen.insert(*row.session).second) continue;
    const model::Workload& workload = result.recordings[*row.session].workload;
    workloads.push_back(fmt::format("{} with {}", workload.kernel, model::to_text(workload.problem)));
  }
  const model::CacheState cache = result.plan.experiment.tables.at(table).cache;
  return fmt::format("Measured: {}, each from {}", fmt::join(workloads, "; "), model::l2_text(cache));
}

}  // namespace warptune::tuner::lab
