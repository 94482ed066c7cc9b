// Every finding on every imagined program: the planted fault is named first, and its sibling has none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "survey/analysis/findings/finding_rule.h"
#include "survey/analysis/survey_analysis.h"
#include "tests/documented_table.h"
#include "tests/survey/imagined_programs.h"
#include "tests/survey/survey_builder.h"

namespace warptune::survey::analysis::findings {
namespace {

std::string list_of(const SurveyAnalysis& analysis) {
  std::ostringstream text;
  for (const Finding& finding : analysis.findings) {
    text << finding.bound << " " << finding.rule << ": " << finding.title << "\n";
    for (const std::string& evidence : finding.evidence) text << "    " << evidence << "\n";
  }
  return text.str();
}

class PlantedFaults : public testing::TestWithParam<ImaginedProgram> {};

TEST_P(PlantedFaults, AreNamedFirstAndTheSiblingHasNoFinding) {
  const SurveyAnalysis planted = analyse(GetParam().run(true));
  ASSERT_FALSE(planted.findings.empty());
  EXPECT_EQ(planted.findings.front().rule, GetParam().fault) << list_of(planted);
  EXPECT_GT(planted.findings.front().bound, 1.25) << list_of(planted);
  EXPECT_FALSE(planted.findings.front().evidence.empty());
  const SurveyAnalysis clean = analyse(GetParam().run(false));
  EXPECT_TRUE(clean.findings.empty()) << list_of(clean);
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFaults, testing::ValuesIn(imagined_programs()),
                         [](const auto& program) { return program.param.fault; });

std::vector<std::string> rules_of(const SurveyAnalysis& analysis) {
  std::vector<std::string> rules;
  for (const Finding& finding : analysis.findings) rules.push_back(finding.rule);
  return rules;
}

TEST(Findings, OneThatExplainsAnotherStandsForBoth) {
  const std::vector<std::pair<std::string, std::string>> explained = {{"redundant_copies", "copy_bound"},
                                                                      {"serial_streams", "copy_bound"},
                                                                      {"serial_kernels", "slow_kernel"},
                                                                      {"low_occupancy_grid", "slow_kernel"}};
  for (const auto& [fault, consequence] : explained) {
    for (const ImaginedProgram& program : imagined_programs()) {
      if (program.fault != fault) continue;
      EXPECT_THAT(rules_of(analyse(program.run(true))), testing::Not(testing::Contains(consequence)))
          << fault;
    }
  }
}

// Waits of about 7 us after kernels of 100 us cost more than 5 % of the run, and after those of 200 us less.
TEST(Findings, AreShownFromFivePercentOfTheRunOn) {
  const auto waiting = [](std::int64_t duration) {
    SurveyBuilder program;
    for (int i = 0; i < 90; ++i) {
      program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", duration});
      program.wait();
    }
    return analyse(program.survey());
  };
  EXPECT_THAT(rules_of(waiting(100 * kMicrosecond)), testing::ElementsAre("host_waits"));
  EXPECT_THAT(rules_of(waiting(200 * kMicrosecond)), testing::IsEmpty());
}

TEST(Findings, CountTheGpuThatWouldSaveMost) {
  records::Survey survey = imagined_programs()[4].run(true);
  const std::vector<Finding> alone = analyse(survey).findings;
  survey.devices.push_back(survey.devices.front());
  records::Stream stream = survey.streams.front();
  stream.device = 1;
  survey.streams.push_back(stream);
  records::Launch launch = survey.launches.front();
  launch.stream = static_cast<records::Index>(survey.streams.size() - 1);
  launch.time = survey.run.window;
  survey.launches.insert(survey.launches.begin(), launch);
  const std::vector<Finding> together = analyse(survey).findings;
  ASSERT_FALSE(alone.empty());
  EXPECT_EQ(alone.front().rule, "host_waits");
  const auto found = std::find_if(together.begin(), together.end(),
                                  [](const Finding& finding) { return finding.rule == "host_waits"; });
  ASSERT_NE(found, together.end()) << "a second GPU without gaps changes nothing";
  EXPECT_EQ(found->bound, alone.front().bound);
}

TEST(Findings, LeaveOutWhatComesBeforeTheFirstLaunch) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) {
    program.call(records::CallKind::kAllocation, "cudaMalloc", kMillisecond);
    program.call(records::CallKind::kModuleLoad, "cuModuleLoadData", kMillisecond);
    program.host(kMillisecond);
  }
  for (int i = 0; i < 30; ++i) program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", kMillisecond});
  program.wait();
  EXPECT_THAT(rules_of(analyse(program.survey())), testing::IsEmpty());
}

TEST(Findings, DoNotExpectStreamsOfDifferentProcessesToOverlap) {
  records::Survey survey = imagined_programs()[9].run(true);
  EXPECT_THAT(rules_of(analyse(survey)), testing::Contains("serial_streams"));
  survey.processes.push_back(survey.processes.front());
  for (std::size_t i = 0; i < survey.streams.size(); i += 2) survey.streams[i].process = 1;
  EXPECT_THAT(rules_of(analyse(survey)), testing::Not(testing::Contains("serial_streams")));
}

TEST(Findings, SayIfShortLaunchesAreInGraphsAlready) {
  records::Survey survey = imagined_programs()[6].run(true);
  EXPECT_THAT(analyse(survey).findings.at(0).evidence, testing::SizeIs(2));
  for (std::size_t i = 0; i < 7; ++i) survey.launches[i].graph = 3;
  EXPECT_THAT(analyse(survey).findings.at(0).evidence,
              testing::Contains("7 of all launches are nodes of CUDA graphs already"));
}

TEST(Findings, NameTheInnermostRangeWithMostOfTheGaps) {
  records::Survey survey = imagined_programs()[5].run(true);
  EXPECT_THAT(analyse(survey).findings.at(0).evidence, testing::SizeIs(3));
  survey.names.insert(survey.names.end(), {"epoch", "load a batch"});
  const auto names = static_cast<records::Index>(survey.names.size());
  const auto range = [&](records::Interval time, records::Index name) {
    records::Range made;
    made.time = time;
    made.name = name;
    survey.ranges.push_back(made);
  };
  range(survey.run.window, names - 2);
  for (std::size_t i = 2; i + 1 < survey.launches.size(); i += 3)
    range({survey.launches[i].time.start, survey.launches[i + 1].time.start}, names - 1);
  EXPECT_THAT(analyse(survey).findings.at(0).evidence,
              testing::Contains(testing::HasSubstr("of it within the NVTX range load a batch")));
}

TEST(Findings, AreNotAboutIdleTimeThatMayBeLostWork) {
  for (const char* fault :
       {"host_waits", "idle_gaps", "launch_bound", "allocation_in_loop", "module_load_in_loop"}) {
    for (const ImaginedProgram& program : imagined_programs()) {
      if (program.fault != fault) continue;
      records::Survey survey = program.run(true);
      EXPECT_THAT(rules_of(analyse(survey)), testing::Contains(fault));
      survey.processes[0].dropped = 1;
      EXPECT_THAT(rules_of(analyse(survey)), testing::Not(testing::Contains(fault)));
      survey.processes[0].dropped = 0;
      survey.processes[0].unnamed = 1;
      EXPECT_THAT(rules_of(analyse(survey)), testing::Not(testing::Contains(fault)));
    }
  }
}

TEST(Findings, AboutCopiesDoNotCountIdleTimeThatMayBeLostWork) {
  const std::vector<ImaginedProgram> programs = imagined_programs();
  const auto pageable = std::find_if(programs.begin(), programs.end(), [](const ImaginedProgram& program) {
    return program.fault == "pageable_copies";
  });
  ASSERT_NE(pageable, programs.end());
  records::Survey survey = pageable->run(true);
  const SurveyAnalysis certain = analyse(survey);
  survey.processes[0].dropped = 1;
  const SurveyAnalysis uncertain = analyse(survey);
  ASSERT_FALSE(uncertain.findings.empty());
  EXPECT_EQ(uncertain.findings.front().rule, "pageable_copies");
  EXPECT_LT(uncertain.findings.front().bound, certain.findings.front().bound);
  EXPECT_THAT(list_of(certain), testing::HasSubstr("idle within their calls"));
  EXPECT_THAT(list_of(uncertain), testing::Not(testing::HasSubstr("idle")));
}

// Small copies every 80 us, beside kernels of another stream or without them.
SurveyAnalysis with_small_copies(bool beside_kernels) {
  SurveyBuilder program;
  const records::Index kernels = program.stream();
  const records::Index copies = program.stream();
  for (int i = 0; i < 10; ++i) {
    if (beside_kernels)
      program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", 20 * kMillisecond}, kernels);
    for (int copy = 0; copy < 250; ++copy) {
      program.up(4096, copies);
      program.host(77 * kMicrosecond);
    }
  }
  program.wait();
  return analyse(program.survey());
}

TEST(Findings, DoNotCountGapsBetweenSmallCopiesInWhichAKernelRuns) {
  EXPECT_THAT(rules_of(with_small_copies(false)), testing::Contains("small_copies"));
  const SurveyAnalysis busy = with_small_copies(true);
  EXPECT_LT(busy.devices.at(0).idle, busy.observed / 100);
  EXPECT_THAT(rules_of(busy), testing::Not(testing::Contains("small_copies"))) << list_of(busy);
}

TEST(Findings, DoNotAdviseToOverlapCopiesWithoutKernels) {
  SurveyBuilder program;
  for (int i = 0; i < 50; ++i) program.up(std::uint64_t{8} << 20);
  program.wait();
  const SurveyAnalysis analysis = analyse(program.survey());
  ASSERT_THAT(rules_of(analysis), testing::ElementsAre("copy_bound"));
  EXPECT_THAT(analysis.findings.at(0).advice, testing::StartsWith("Copy less"));
  EXPECT_THAT(analysis.findings.at(0).advice, testing::Not(testing::HasSubstr("second stream")));
  const auto with_kernels = analyse(imagined_programs()[3].run(true)).findings;
  ASSERT_FALSE(with_kernels.empty());
  EXPECT_THAT(with_kernels.front().advice, testing::HasSubstr("second stream"));
}

// A survey of a training step: a library's kernel of 14 ms, and communication of 6 ms with 24 blocks.
SurveyAnalysis training_with(const std::string& kernel, std::int64_t communication) {
  SurveyBuilder program;
  for (int i = 0; i < 10; ++i) {
    program.launch({"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                    communication, 24, 544});
    program.launch({kernel, 14 * kMillisecond});
  }
  program.wait();
  return analyse(program.survey());
}

TEST(Findings, KnowThatCommunicationHasFewBlocks) {
  const SurveyAnalysis analysis = training_with("void step(float*)", 6 * kMillisecond);
  EXPECT_THAT(rules_of(analysis), testing::ElementsAre("slow_kernel"));
  EXPECT_THAT(analysis.findings.at(0).advice, testing::HasSubstr("warptune new"));
  const SurveyAnalysis slow = training_with("void step(float*)", 60 * kMillisecond);
  ASSERT_THAT(rules_of(slow), testing::ElementsAre("slow_kernel"));
  EXPECT_THAT(slow.findings.at(0).advice, testing::StartsWith("This kernel moves data between GPUs"));
  SurveyBuilder program;
  for (int i = 0; i < 300; ++i)
    program.launch({"ncclDevKernel_AllGather_RING_LL", 40 * kMicrosecond, 24, 544});
  program.wait();
  EXPECT_THAT(rules_of(analyse(program.survey())), testing::ElementsAre("slow_kernel"))
      << "they are no serial_kernels";
}

TEST(Findings, DoNotAdviseToTuneKernelsOfClosedLibraries) {
  const SurveyAnalysis analysis = training_with("ampere_sgemm_128x64_nn", 6 * kMillisecond);
  ASSERT_THAT(rules_of(analysis), testing::ElementsAre("slow_kernel"));
  EXPECT_THAT(analysis.findings.at(0).advice, testing::HasSubstr("warptune cannot tune it"));
}

TEST(Findings, DoNotCountAllocationsFromAPoolUnlessTheyAreSlow) {
  const auto allocating = [](std::int64_t duration) {
    SurveyBuilder program;
    for (int i = 0; i < 200; ++i) {
      program.call(records::CallKind::kAllocation, "cudaMallocAsync", duration);
      program.launch({i % 3 == 0 ? "a" : i % 3 == 1 ? "b" : "c", 12 * kMicrosecond});
      program.wait();
    }
    return analyse(program.survey());
  };
  const SurveyAnalysis fast = allocating(2 * kMicrosecond);
  EXPECT_THAT(rules_of(fast), testing::ElementsAre("host_waits"));
  EXPECT_EQ(fast.devices.at(0).idle_by_cause[static_cast<std::size_t>(IdleCause::kAllocating)], 0);
  EXPECT_THAT(rules_of(allocating(100 * kMicrosecond)), testing::Contains("allocation_in_loop"));
}

TEST(Findings, NeedNoKnownCalls) {
  records::Survey survey = imagined_programs()[5].run(true);
  survey.calls.clear();
  for (records::Launch& launch : survey.launches) launch.call = records::kNone;
  EXPECT_THAT(rules_of(analyse(survey)), testing::ElementsAre("idle_gaps"));
}

TEST(FindingRules, EachHasAnImaginedProgram) {
  std::vector<std::string> rules;
  for (const FindingRule& rule : finding_rules()) rules.emplace_back(rule.info.id);
  std::vector<std::string> planted;
  for (const ImaginedProgram& program : imagined_programs()) planted.push_back(program.fault);
  EXPECT_THAT(planted, testing::UnorderedElementsAreArray(rules));
}

// The table that docs/survey.md must have between its two marks.
std::string documented_table() {
  std::ostringstream text;
  text << "| finding | when it is shown | bound | why | what to do | source |\n|---|---|---|---|---|---|\n";
  for (const FindingRule& rule : finding_rules()) {
    const FindingInfo& info = rule.info;
    text << "| `" << info.id << "` | " << info.trigger << " | " << info.bound << " | " << info.why << " | "
         << info.advice << " | " << info.source << " |\n";
  }
  return text.str();
}

TEST(DiagnosisRules, OfSurveysAreDocumentedAsTheyAre) {
  tests::expect_documented_table(WARPTUNE_SOURCE_FOLDER, "docs/survey.md", "findings", documented_table());
}

}  // namespace
}  // namespace warptune::survey::analysis::findings
