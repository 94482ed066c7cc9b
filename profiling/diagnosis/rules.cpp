#include "profiling/diagnosis/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis {

const std::vector<Rule>& rule_table() {
// WARPTUNE_RULES calls the macro once for each name, so `all` has the rule that each NAME_rule() returns.
#define WARPTUNE_MADE(name) rules::name##_rule(),
  static const std::vector<Rule> all = {WARPTUNE_RULES(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return all;
}

namespace {

std::string number_text(double value, std::string_view unit) {
  if (unit == "byte") return fmt::format("{:.4g} MB", value / 1e6);
  if (unit == "%") return fmt::format("{:.1f} %", value);
  return std::abs(value) < 1e5 ? fmt::format("{:.1f}", value) : fmt::format("{:.3g}", value);
}

}  // namespace

Finding found(Severity severity, std::string title, double gain, std::string gain_basis,
              std::vector<Evidence> evidence) {
  Finding finding;
  finding.severity = severity;
  finding.title = std::move(title);
  finding.gain = gain;
  finding.gain_basis = std::move(gain_basis);
  finding.evidence = std::move(evidence);
  return finding;
}

Evidence evidence_of(const Facts& facts, std::string_view metric, std::optional<double> threshold) {
  const auto catalogue = counters::metric_catalogue();
  const auto known = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const counters::MetricInfo& info) { return info.name == metric; });
  const double value = facts.value(metric);
  if (known == catalogue.end())
    return {std::string(metric), value, threshold, fmt::format("{} {}", metric, number_text(value, ""))};
  std::string text = fmt::format("{} {}", known->title, number_text(value, known->unit));
  return {std::string(metric), value, threshold, std::move(text)};
}

std::string use_text(const UnitUse& use) {
  constexpr double kWorthSaying = 0.05;
  std::string text = fmt::format("{} {:.0f} % used", to_string(use.unit), use.use * 100.0);
  if (use.steady - use.use < kWorthSaying) return text;
  return fmt::format("{} ({:.0f} % without the start and the end of the launch)", text, use.steady * 100.0);
}

Evidence evidence_of(const UnitUse& use) {
  return {"busiest_unit", use.use * 100.0, std::nullopt, use_text(use)};
}

}  // namespace warptune::profiling::diagnosis
