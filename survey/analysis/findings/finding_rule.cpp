#include "survey/analysis/findings/finding_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "survey/analysis/findings/finding_list.h"
#include "survey/analysis/library_kernels.h"
#include "survey/analysis/short_kernel_name.h"

namespace warptune::survey::analysis::findings {

const std::vector<FindingRule>& finding_rules() {
// WARPTUNE_FINDINGS calls the macro once for each name, so `all` has the rule that each NAME_finding()
// returns.
#define WARPTUNE_MADE(name) name##_finding(),
  static const std::vector<FindingRule> all = {WARPTUNE_FINDINGS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return all;
}

namespace {

struct Found {
  const FindingRule* rule = nullptr;
  Seen seen;
  std::optional<double> steady_bound;
};

bool is_worth_reading(const std::optional<Seen>& seen, std::int64_t run) {
  return seen && static_cast<double>(seen->saved) >= kWorthReading * static_cast<double>(run);
}

std::optional<Found> found_by(const FindingRule& rule, const SurveyFacts& facts, const SurveyFacts* steady) {
  std::optional<Seen> seen = rule.check(facts);
  const std::optional<Seen> later = steady != nullptr ? rule.check(*steady) : std::nullopt;
  const bool counts =
      is_worth_reading(seen, facts.run) || (steady != nullptr && is_worth_reading(later, steady->run));
  if (!seen || !counts) return std::nullopt;
  Found found{&rule, *std::move(seen), std::nullopt};
  if (later) found.steady_bound = amdahl_bound(steady->run, later->saved);
  return found;
}

// Whether another finding names the cause of this one.
bool is_explained(const Found& one, const std::vector<Found>& all) {
  return std::any_of(all.begin(), all.end(), [&](const Found& other) {
    const auto& causes = one.rule->causes;
    return std::find(causes.begin(), causes.end(), other.rule->info.id) != causes.end() &&
           2 * other.seen.saved >= one.seen.saved;
  });
}

}  // namespace

std::vector<Finding> findings_of(const SurveyFacts& facts, const SurveyFacts* steady, bool host_program) {
  std::vector<Found> all;
  for (const FindingRule& rule : finding_rules()) {
    if (host_program && !rule.in_host_programs) continue;
    if (std::optional<Found> found = found_by(rule, facts, steady)) all.push_back(*std::move(found));
  }
  std::vector<Finding> findings;
  for (const Found& found : all) {
    if (is_explained(found, all)) continue;
    Finding finding;
    finding.rule = found.rule->info.id;
    finding.title = found.seen.title;
    finding.evidence = found.seen.evidence;
    finding.advice = found.seen.advice.empty() ? std::string(found.rule->info.advice) : found.seen.advice;
    finding.bound = amdahl_bound(facts.run, found.seen.saved);
    finding.steady_bound = found.steady_bound;
    findings.push_back(std::move(finding));
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return a.bound > b.bound; });
  return findings;
}

std::int64_t calls_after_start_up(const SurveyFacts& facts, IdleCause cause) {
  const records::Survey& survey = *facts.survey;
  const std::vector<records::Call>& calls = survey.calls;
  return std::count_if(calls.begin(), calls.end(), [&](const records::Call& call) {
    return call.time.start > facts.whole.start_up.end && cause_of(survey, call) == cause;
  });
}

bool is_communication(const SurveyFacts& facts, const Work& kernel) {
  return library_of_kernel(facts.survey->names[facts.shape(kernel).name]) == KernelLibrary::kCommunication;
}

std::string time_text(std::int64_t duration) { return base::format_time_ns(static_cast<double>(duration)); }

std::string share_text(const SurveyFacts& facts, std::int64_t duration) {
  const double share = facts.run > 0 ? static_cast<double>(duration) / static_cast<double>(facts.run) : 0.0;
  return fmt::format("{} ({:.0f} % of the run)", time_text(duration), 100.0 * share);
}

std::string kernel_text(const SurveyFacts& facts, records::Index name) {
  constexpr std::size_t kMaxCharacters = 60;
  return short_kernel_name(facts.survey->names[name], kMaxCharacters);
}

std::string bytes_text(double bytes) {
  constexpr double kStep = 1000.0;
  constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && bytes >= kStep; ++unit) bytes /= kStep;
  return fmt::format("{:.3g} {}", bytes, kUnits[unit]);
}

}  // namespace warptune::survey::analysis::findings
