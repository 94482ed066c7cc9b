#include "tuner/text_output/diagnosis_report.h"
#include "tuner/explaining/diagnosis_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "db/recording_file.h"
#include "tuner/json_output/diagnosis_json.h"

namespace warptune::tuner::text_output {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

profiling::diagnosis::Finding a_finding(profiling::diagnosis::Severity severity, const std::string& rule) {
  profiling::diagnosis::Finding finding;
  finding.rule = rule;
  finding.severity = severity;
  finding.title = "title of " + rule;
  finding.evidence = {{"metric", 31.0, 0.25, "conflicts per access 31.0"}};
  finding.gain = 0.4;
  finding.gain_basis = "cycles of conflicts";
  finding.remedy = "Pad rows.";
  finding.parameters = {{"PAD", std::int64_t{0}, std::int64_t{1}, true, 0.41, "PAD=1 instead of 0"}};
  return finding;
}

TEST(DiagnosisText, ShowsFaultsHintsAndLimitsWithEvidenceGainAndRemedies) {
  profiling::diagnosis::Diagnosis diagnosis;
  diagnosis.findings = {a_finding(profiling::diagnosis::Severity::kFault, "one"),
                        a_finding(profiling::diagnosis::Severity::kHint, "two"),
                        a_finding(profiling::diagnosis::Severity::kLimit, "three")};
  diagnosis.findings[1].follows_from = "one";
  diagnosis.unchecked = {{"four", {"counter_a", "counter_b"}}};
  const std::string text = diagnosis_text(diagnosis);
  EXPECT_LT(text.find("Faults\n  title of one [one]"), text.find("Hints\n  title of two [two]"));
  EXPECT_LT(text.find("Hints"), text.find("Limits reached\n  title of three [three]"));
  EXPECT_THAT(text, HasSubstr("at most 40 % of the time: cycles of conflicts"));
  EXPECT_THAT(text, HasSubstr("seen: conflicts per access 31.0"));
  EXPECT_THAT(text, HasSubstr("try PAD=1 instead of 0\n      Pad rows."));
  EXPECT_THAT(text, HasSubstr("follows from one"));
  EXPECT_THAT(text, HasSubstr("four: counter_a, counter_b"));
}

TEST(DiagnosisText, NamesManyUncheckedRulesInOneLineWithWhatReadsTheirCounters) {
  profiling::diagnosis::Diagnosis diagnosis;
  for (const char* rule : {"a", "b", "c", "d", "e"}) diagnosis.unchecked.push_back({rule, {"counter"}});
  const std::string text = diagnosis_text(diagnosis);
  EXPECT_THAT(text, HasSubstr("Nothing was found by the rules that could be checked."));
  EXPECT_EQ(diagnosis_text({}), "Nothing was found.\n");
  EXPECT_THAT(text, HasSubstr("warptune profile"));
  EXPECT_THAT(text, HasSubstr("  a, b, c, d, e\n"));
  EXPECT_THAT(text, Not(HasSubstr("counter,")));
}

TEST(DiagnosisText, SaysOfManyUncheckedRulesWhichLackMoreThanCounters) {
  profiling::diagnosis::Diagnosis diagnosis;
  for (const char* rule : {"a", "b", "c", "d"})
    diagnosis.unchecked.push_back({rule, {"launch geometry and resources", "x__y.sum"}});
  diagnosis.unchecked.push_back({"e", {"x__y.sum"}});
  diagnosis.unchecked.push_back({"f", {"flops in [work]"}});
  const std::string text = diagnosis_text(diagnosis);
  EXPECT_THAT(text,
              HasSubstr("Not checked, because this is unknown: flops in [work]\n  f\n"
                        "Not checked, because this is unknown: launch geometry and resources\n  a, b, c, d\n"
                        "Not checked, because counters are missing that `warptune profile` reads:\n  e\n"));
}

TEST(DiagnosisJson, HoldsEveryFieldAndWhatEachUncheckedRuleLacks) {
  profiling::diagnosis::Diagnosis diagnosis;
  diagnosis.findings = {a_finding(profiling::diagnosis::Severity::kFault, "one")};
  diagnosis.unchecked = {{"four", {"counter_a"}}};
  const nlohmann::ordered_json json = json_output::diagnosis_json(diagnosis);
  const auto& finding = json.at("findings").at(0);
  EXPECT_EQ(finding.at("rule"), "one");
  EXPECT_EQ(finding.at("severity"), "fault");
  EXPECT_EQ(finding.at("gain"), 0.4);
  EXPECT_EQ(finding.at("evidence").at(0).at("threshold"), 0.25);
  EXPECT_EQ(finding.at("parameters").at(0).at("time_ratio"), 0.41);
  EXPECT_TRUE(finding.at("follows_from").is_null());
  EXPECT_EQ(json.at("not_checked").at(0).at("metrics").at(0), "counter_a");
}

TEST(DiagnosisOfARecording, FindsTheConflictsThatPaddingTakesAwayFromTheTranspose) {
  // Every configuration of a smaller space on an H200. Remedies in parameters need pairs of rows that differ
  // in one parameter.
  const model::Recording recording =
      db::read_recording(std::filesystem::path(WARPTUNE_TUNER_TEST_DATA) / "transpose-whole-space.wtrec.zst");
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  std::size_t with_conflicts = 0;
  std::size_t named_layout = 0;
  for (const model::Measurement* row : rows.measurements) {
    const auto counter = row->counters.find("shared_bank_conflicts_per_access");
    if (counter == row->counters.end() || counter->second < 5.0) continue;
    if (*model::find(row->configuration, "LAYOUT") != model::Value(std::string("plain"))) continue;
    ++with_conflicts;
    const auto diagnosis =
        profiling::diagnosis::diagnose(explaining::diagnosis_input(recording, *row, &effects));
    const auto found =
        std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                     [](const auto& finding) { return finding.rule == "shared_bank_conflicts"; });
    ASSERT_NE(found, diagnosis.findings.end()) << model::to_text(row->configuration);
    named_layout += std::any_of(found->parameters.begin(), found->parameters.end(),
                                [](const auto& remedy) { return remedy.parameter == "LAYOUT"; })
                        ? 1U
                        : 0U;
    if (with_conflicts == 40) break;
  }
  EXPECT_GE(named_layout, 30U);
  EXPECT_EQ(with_conflicts, 40U);
}

}  // namespace
}  // namespace warptune::tuner::text_output
