// Applies the rules to one configuration.
//
// A rule is a condition on the counters, with an upper bound on the gain of its remedy. The bound has two
// parts. First, a fault wastes a share of the time of the unit that it burdens, so its remedy saves at most
// that share. Second, the units that the remedy does not relieve still have to do the same work, so the
// launch takes at least the time in which they are busy. The thresholds for the use of a unit are those of
// Nsight Compute's speed-of-light section (rules.h).
//
// A fault with a small bound becomes a hint or is dropped. A fault also becomes a hint if another unit is
// full and the remedy does not relieve that unit, or if the fault follows from another one. For the latter,
// each rule lists the rules that may cause its fault. Then the measured rows of the space are searched for a
// change of one parameter that helps.
#include "profiling/diagnosis/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "profiling/diagnosis/facts.h"
#include "profiling/diagnosis/remedies.h"
#include "profiling/diagnosis/rules.h"

namespace warptune::profiling::diagnosis {

namespace {

std::vector<std::string> missing(const Rule& rule, const Facts& facts) {
  std::vector<std::string> names;
  for (const std::string_view metric : rule.needs) {
    if (!facts.has(metric)) names.emplace_back(metric);
  }
  return names;
}

const Rule& rule_of(const Finding& finding) {
  const std::vector<Rule>& all = rule_table();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Rule& rule) { return rule.info.id == finding.rule; });
}

// Makes each fault that another fault explains a hint, and names the cause of such faults and of hints. Only
// a rule that was a fault before this step can be a cause.
void name_causes(std::vector<Finding>& findings) {
  const std::vector<Finding> before = findings;
  const auto is_fault = [&](std::string_view rule) {
    return std::any_of(before.begin(), before.end(), [&](const Finding& finding) {
      return finding.rule == rule && finding.severity == Severity::kFault;
    });
  };
  for (Finding& finding : findings) {
    if (finding.severity == Severity::kLimit) continue;
    const auto& causes = rule_of(finding).causes;
    const auto cause = std::find_if(causes.begin(), causes.end(), is_fault);
    if (cause == causes.end()) continue;
    finding.severity = Severity::kHint;
    finding.follows_from = *cause;
  }
}

// Whether another unit is the limit: one that is full and that the remedy does not relieve.
bool is_limited_otherwise(const Rule& rule, const Facts& facts) {
  return rule.relieves && facts.busiest_while_full(*rule.relieves).steady >= kReached;
}

std::optional<Finding> check(const Rule& rule, const Facts& facts) {
  std::optional<Finding> finding = rule.check(facts);
  if (!finding) return std::nullopt;
  const bool is_estimated = finding->severity == Severity::kFault || finding->gain > 0.0;
  if (finding->severity != Severity::kLimit && is_estimated && finding->gain < kHintGain) return std::nullopt;
  if (finding->severity == Severity::kFault &&
      (finding->gain < kFaultGain || is_limited_otherwise(rule, facts)))
    finding->severity = Severity::kHint;
  finding->rule = rule.info.id;
  if (finding->remedy.empty()) finding->remedy = rule.info.remedy;
  return finding;
}

int order_of(Severity severity) {
  return severity == Severity::kFault ? 0 : severity == Severity::kLimit ? 1 : 2;
}

bool is_counter(std::string_view name) { return name.find("__") != std::string_view::npos; }

}  // namespace

std::string_view to_string(Severity severity) {
  static constexpr std::string_view kNames[] = {"fault", "hint", "limit"};
  return kNames[static_cast<std::size_t>(severity)];
}

Diagnosis diagnose(const DiagnosisInput& input) {
  Diagnosis diagnosis;
  if (!(model::median_ns_of(input.measurement) > 0.0)) return diagnosis;
  const Facts facts(input, input.measurement);
  for (const Rule& rule : rule_table()) {
    std::vector<std::string> lacks = missing(rule, facts);
    if (!lacks.empty()) {
      diagnosis.unchecked.push_back({std::string(rule.info.id), std::move(lacks)});
      continue;
    }
    if (std::optional<Finding> finding = check(rule, facts))
      diagnosis.findings.push_back(*std::move(finding));
  }
  name_causes(diagnosis.findings);
  for (Finding& finding : diagnosis.findings) {
    if (finding.severity == Severity::kLimit) continue;
    // A hint gains too little to compile the kernel with every value of every parameter.
    const auto unmeasured =
        finding.severity == Severity::kFault ? UnmeasuredValues::kTry : UnmeasuredValues::kSkip;
    finding.parameters = parameter_remedies(facts, rule_of(finding).target, unmeasured);
  }
  std::stable_sort(
      diagnosis.findings.begin(), diagnosis.findings.end(), [](const Finding& a, const Finding& b) {
        return a.severity != b.severity ? order_of(a.severity) < order_of(b.severity) : a.gain > b.gain;
      });
  return diagnosis;
}

std::vector<std::string> diagnosis_metrics() {
  std::vector<std::string> names;
  const auto add = [&](std::string_view name) {
    if (is_counter(name) && std::find(names.begin(), names.end(), name) == names.end())
      names.emplace_back(name);
  };
  for (const Rule& rule : rule_table()) {
    for (const std::string_view name : rule.needs) add(name);
    for (const std::string_view name : rule.reads) add(name);
  }
  return names;
}

std::vector<RuleInfo> diagnosis_rules() {
  std::vector<RuleInfo> infos;
  infos.reserve(rule_table().size());
  for (const Rule& rule : rule_table()) infos.push_back(rule.info);
  return infos;
}

}  // namespace warptune::profiling::diagnosis
