#include "tuner/text_output/surveys/counters_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "survey/analysis/counted_kernels.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey_file.h"
#include "tests/survey/synthetic_survey.h"
#include "tuner/text_output/surveys/survey_report.h"

namespace warptune::tuner::text_output::surveys {
namespace {

using survey::analysis::analyse;
using survey::records::Survey;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// All metrics of a kernel with strided loads, counted on an H100.
Survey recorded() {
  return survey::records::read_survey(std::string(WARPTUNE_SOURCE_FOLDER) +
                                      "/tests/survey/data/version2.wtsurvey.zst");
}

TEST(CountersReport, HasMetricsRoofsAndFindings) {
  const Survey survey = recorded();
  const std::string text = counters_report(survey, analyse(survey));
  EXPECT_THAT(text,
              HasSubstr(" 100 %  strided\n      grid 65536, block 256; 406 us in the survey, 413 us when "
                        "counted; 3 counted launches\n"));
  EXPECT_THAT(text,
              HasSubstr("      DRAM throughput 85.3 %; DRAM traffic 1.16 GB; Achieved occupancy 86.6 %; "));
  EXPECT_THAT(text, HasSubstr("      roofs by theory: device memory 2.86 TB/s of 3.35 TB/s (85 %); at its "
                              "roof, the run is up to "));
  EXPECT_THAT(text,
              HasSubstr("    Faults\n      Global loads touch 32.0 sectors per request, where 4.0 would "
                        "suffice [uncoalesced_loads]\n"));
  EXPECT_THAT(text, HasSubstr("    Limits reached\n"));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("Not checked")), Not(HasSubstr("note"))));
  EXPECT_THAT(survey_report(survey, analyse(survey)), HasSubstr(text));
}

TEST(CountersReport, NamesTheRulesThatOtherCountersWouldAllow) {
  Survey survey = recorded();
  for (model::Counters& launch : survey.counted[0].launches) launch = {{"dram__bytes.sum", 1e6}};
  const std::string text = counters_report(survey, analyse(survey));
  EXPECT_THAT(text, HasSubstr("      DRAM traffic 1 MB\n"));
  EXPECT_THAT(text, HasSubstr("Nothing was found."));
  EXPECT_THAT(
      text,
      HasSubstr(
          "  Not checked, because counters are missing (--metrics full reads more): atomic_contention, "));
  EXPECT_THAT(text, Not(HasSubstr("excess_dram_traffic"))) << "it needs what a survey does not know";
}

TEST(CountersReport, ShowsMetricsOutsideOfTheCoreSetIfThereAreNoOthers) {
  Survey survey = recorded();
  for (model::Counters& launch : survey.counted[0].launches) launch = {{"dram__bytes_read.sum", 2e6}};
  const std::vector<survey::analysis::CountedKernel> kernels =
      survey::analysis::counted_kernels(survey, analyse(survey).kernels);
  ASSERT_THAT(kernels, SizeIs(1));
  EXPECT_EQ(metric_texts(kernels[0].counters), std::vector<std::string>{"DRAM read 2 MB"});
  EXPECT_TRUE(roofline_texts(kernels[0].roofline, kernels[0].bound_at_roof).empty());
}

TEST(CountersReport, SaysThatNodesOfAGraphWereCounted) {
  Survey survey = recorded();
  const survey::records::CountedShape counted = survey.counted[0];
  survey.counted.clear();
  survey.counted_graphs = {{0, 4, 0, {{counted.shape, 4}}, counted.launches}};
  EXPECT_THAT(
      counters_report(survey, analyse(survey)),
      HasSubstr("      counted in whole launches of a CUDA graph: values are means of its 4 nodes\n"));
}

TEST(CountersReport, HasGraphsOfSeveralKernels) {
  Survey survey = recorded();
  const survey::records::CountedShape counted = survey.counted[0];
  survey.counted.clear();
  survey.counted_graphs = {{0, 6, 2, {{counted.shape, 4}}, {{{"dram__bytes.sum", 1e6}}}}};
  const std::string text = counters_report(survey, analyse(survey));
  EXPECT_THAT(
      text, HasSubstr("\nHardware counters of CUDA graphs with such kernels (launches of a second run, one "
                      "for each pass)\n  8 nodes: 4 of strided, 2 of other kernels, 2 that are not kernels\n"
                      "      no time in the survey; 1 counted launch\n      DRAM traffic 1 MB\n"));
  EXPECT_THAT(text, Not(HasSubstr("kernels with most time")));
}

TEST(CountersReport, IsEmptyUnlessCountersWereAskedFor) {
  Survey survey = survey::testing::small_survey();
  EXPECT_EQ(counters_report(survey, analyse(survey)), "");
  survey.run.counting_problem = "Nothing\nwas counted.";
  EXPECT_THAT(counters_report(survey, analyse(survey)),
              AllOf(HasSubstr("\nnote on counters: Nothing"), HasSubstr("was counted.\n")));
}

}  // namespace
}  // namespace warptune::tuner::text_output::surveys
