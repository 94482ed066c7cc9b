#include "tuner/text_output/diagnosis_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace warptune::tuner::text_output {

namespace {

using profiling::diagnosis::Finding;
using profiling::diagnosis::Severity;
using profiling::diagnosis::UncheckedRule;

// More rules than this are listed without their missing counters, which would fill the screen.
constexpr std::size_t kMaxDetailedUnchecked = 4;

void add_finding(std::string& text, const Finding& finding) {
  text += fmt::format("  {} [{}]\n", finding.title, finding.rule);
  if (finding.gain > 0.0)
    text += fmt::format("      at most {:.0f} % of the time: {}\n", finding.gain * 100.0, finding.gain_basis);
  if (!finding.follows_from.empty()) text += fmt::format("      follows from {}\n", finding.follows_from);
  std::vector<std::string> evidence;
  evidence.reserve(finding.evidence.size());
  for (const profiling::diagnosis::Evidence& item : finding.evidence) evidence.push_back(item.text);
  if (!evidence.empty()) text += fmt::format("      seen: {}\n", fmt::join(evidence, "; "));
  for (const profiling::diagnosis::ParameterRemedy& remedy : finding.parameters)
    text += fmt::format("      try {}\n", remedy.text);
  text += fmt::format("      {}\n", finding.remedy);
}

void add_section(std::string& text, const profiling::diagnosis::Diagnosis& diagnosis, Severity severity,
                 const char* title) {
  const auto& findings = diagnosis.findings;
  if (std::none_of(findings.begin(), findings.end(),
                   [&](const Finding& f) { return f.severity == severity; }))
    return;
  text += fmt::format("{}\n", title);
  for (const Finding& finding : findings) {
    if (finding.severity == severity) add_finding(text, finding);
  }
}

// Lists rules by what they lack. If a rule lacks something besides counters, reading counters does not help.
std::string grouped_text(const std::vector<UncheckedRule>& unchecked) {
  std::vector<std::string> of_counters;
  std::map<std::string, std::vector<std::string>> of_others;
  for (const UncheckedRule& rule : unchecked) {
    const auto other = std::find_if(rule.metrics.begin(), rule.metrics.end(), [](const std::string& name) {
      return name.find(' ') != std::string::npos;  // Names of counters have no spaces.
    });
    (other == rule.metrics.end() ? of_counters : of_others[*other]).push_back(rule.rule);
  }
  std::string text;
  for (const auto& [what, rules] : of_others)
    text += fmt::format("Not checked, because this is unknown: {}\n  {}\n", what, fmt::join(rules, ", "));
  if (of_counters.empty()) return text;
  return text +
         fmt::format("Not checked, because counters are missing that `warptune profile` reads:\n  {}\n",
                     fmt::join(of_counters, ", "));
}

}  // namespace

std::string diagnosis_text(const profiling::diagnosis::Diagnosis& diagnosis) {
  std::string text;
  add_section(text, diagnosis, Severity::kFault, "Faults");
  add_section(text, diagnosis, Severity::kHint, "Hints");
  add_section(text, diagnosis, Severity::kLimit, "Limits reached");
  if (text.empty())
    text = diagnosis.unchecked.empty() ? "Nothing was found.\n"
                                       : "Nothing was found by the rules that could be checked.\n";
  if (diagnosis.unchecked.empty()) return text;
  if (diagnosis.unchecked.size() > kMaxDetailedUnchecked) return text + grouped_text(diagnosis.unchecked);
  text += "Not checked, because counters are missing:\n";
  for (const profiling::diagnosis::UncheckedRule& rule : diagnosis.unchecked)
    text += fmt::format("  {}: {}\n", rule.rule, fmt::join(rule.metrics, ", "));
  return text;
}

}  // namespace warptune::tuner::text_output
