// What all findings of a survey have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "survey/analysis/survey_analysis.h"
#include "survey/analysis/survey_facts.h"

namespace warptune::survey::analysis::findings {

/// The description of a finding for people. A test compares docs/survey.md with it.
struct FindingInfo {
  std::string_view id;
  std::string_view trigger;  ///< With all thresholds.
  std::string_view bound;    ///< What the bound assumes to be saved.
  std::string_view why;      ///< Why it costs time, and why the thresholds are what they are.
  std::string_view source;   ///< A manual's section.
  std::string_view advice;
};

/// What a finding saw.
struct Seen {
  std::string title;
  std::vector<std::string> evidence;
  /// What to do, if it differs from the advice of the rule. It is empty otherwise.
  std::string advice = {};
  std::int64_t saved = 0;  ///< How much shorter the run could be at most, in nanoseconds.
};

/// A finding is one file of this folder.
struct FindingRule {
  FindingInfo info;
  /// Findings that name the cause of this one. If one of them is found and saves at least half as much, this
  /// one is not shown.
  std::vector<std::string_view> causes = {};
  /// Whether the rule also holds for a host program that runs again and again
  /// (`AnalysisOptions::host_program`). The others are about what such a program cannot do, or about
  /// repetitions, which such a program makes on purpose.
  bool in_host_programs = false;
  /// Returns what was seen, or std::nullopt if the condition does not hold. `findings_of` drops what saves
  /// too little.
  std::optional<Seen> (*check)(const SurveyFacts&) = nullptr;
};

/// All findings, in the order of docs/survey.md.
const std::vector<FindingRule>& finding_rules();

/// The smallest part of the time that a finding must be able to save, 0 to 1. The time is that of the run, or
/// that after the start-up: a short run is often a sample of a long one. The diagnosis of kernels has the
/// same (`profiling::diagnosis::kHintGain`). The bound is an upper one, and a change often saves half of it.
/// The times of two runs of a program differ by a few per cent.
constexpr double kWorthReading = 0.05;

/// The findings of a survey, the one with the largest bound first. `facts` are those of the observed time,
/// and `steady` those of the part after the start-up, or nullptr. A finding must save `kWorthReading` of one
/// of them. For a host program, only the rules for host programs are applied.
std::vector<Finding> findings_of(const SurveyFacts& facts, const SurveyFacts* steady,
                                 bool host_program = false);

/// How many calls that stand for a cause began after the start-up.
std::int64_t calls_after_start_up(const SurveyFacts& facts, IdleCause cause);

/// Whether a kernel moves data between GPUs. Such a kernel has few blocks on purpose.
bool is_communication(const SurveyFacts& facts, const Work& kernel);

/// A duration for people.
std::string time_text(std::int64_t duration);
/// A duration with its share of the observed time: `1.20 s (48 % of the run)`.
std::string share_text(const SurveyFacts& facts, std::int64_t duration);
/// The name of a kernel in a sentence, shortened.
std::string kernel_text(const SurveyFacts& facts, records::Index name);
/// A number of bytes for people: `65.5 kB`, `1.5 GB`.
std::string bytes_text(double bytes);

}  // namespace warptune::survey::analysis::findings
