#include "tuner/survey_page/survey_page_analysis.h"

#include <gmock/gmock.h>

#include <string>

#include "survey/analysis/short_kernel_name.h"
#include "survey/analysis/survey_analysis.h"
#include "survey/records/survey_file.h"
#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::survey_page {
namespace {

TEST(SurveyPageAnalysisTest, HasTheDevicesKernelsCopiesAndFindings) {
  survey::analysis::SurveyAnalysis analysis;
  analysis.launches = 3;
  analysis.devices.push_back({.device = 0, .window = 100, .kernels = 50, .copies_only = 10, .idle = 40});
  analysis.devices[0].idle_by_cause[1] = 40;
  survey::analysis::KernelTime& kernel = analysis.kernels.emplace_back();
  kernel.launches = 3;
  kernel.duration = 50;
  kernel.bound = 2.0;
  survey::analysis::CopyGroup& copies = analysis.copies.emplace_back();
  copies.direction = survey::records::CopyDirection::kHostToDevice;
  copies.source = survey::records::MemoryKind::kPinned;
  copies.destination = survey::records::MemoryKind::kDevice;
  copies.count = 1;
  analysis.findings.push_back({"rule", "title", {"evidence"}, "advice", 1.5, 3.0});
  analysis.steady = {20, 90};
  analysis.steady_devices.push_back({.device = 0, .window = 70, .kernels = 50, .idle = 20});
  const nlohmann::ordered_json page = analysis_for_page(survey::testing::small_survey(), analysis);
  EXPECT_EQ(page["devices"][0]["idle_causes"], nlohmann::ordered_json::parse(R"([["launching", 40]])"));
  EXPECT_EQ(page["devices"][0]["idle_ns"], 40);
  EXPECT_EQ(page["devices"][0]["unused"], false);
  EXPECT_EQ(page["kernels"][0]["bound"], 2.0);
  EXPECT_TRUE(page["kernels"][0]["occupancy"].is_null());
  EXPECT_EQ(page["kernels"][0]["short_name"],
            survey::analysis::short_kernel_name(survey::testing::small_survey().names[0], 40));
  EXPECT_EQ(page["steady_devices"][0]["idle_ns"], 20);
  EXPECT_EQ(page["steady_ns"], nlohmann::ordered_json::parse("[20, 90]"));
  EXPECT_EQ(page["findings"][0]["steady_bound"], 3.0);
  EXPECT_EQ(page["copies"][0]["what"], "host to device, pinned to device");
  EXPECT_EQ(page["findings"][0]["evidence"][0], "evidence");
}

TEST(SurveyPageAnalysisTest, HasTheCountersAndWhatTheRulesSay) {
  const survey::records::Survey survey = survey::records::read_survey(
      std::string(WARPTUNE_SOURCE_FOLDER) + "/tests/survey/data/version2.wtsurvey.zst");
  const nlohmann::ordered_json page = analysis_for_page(survey, survey::analysis::analyse(survey));
  ASSERT_EQ(page["counted"].size(), 1U);
  const nlohmann::ordered_json& kernel = page["counted"][0];
  EXPECT_EQ(kernel["short_name"], "strided");
  EXPECT_EQ(kernel["grid"], "65536");
  EXPECT_EQ(kernel["launches"], 3);
  EXPECT_EQ(kernel["metrics"][1], "DRAM traffic 1.16 GB");
  EXPECT_EQ(kernel["roofs"][0], "device memory 2.86 TB/s of 3.35 TB/s (85 %)");
  EXPECT_EQ(kernel["device"], 0);
  EXPECT_NEAR(kernel["roofline"]["roof_bytes_per_s"].get<double>(), 3.35e12, 0.01e12);
  EXPECT_NEAR(kernel["roofline"]["share"].get<double>(), 0.85, 0.01);
  EXPECT_EQ(kernel["findings"][0]["rule"], "uncoalesced_loads");
  EXPECT_EQ(kernel["findings"][0]["severity"], "fault");
}

}  // namespace
}  // namespace warptune::tuner::survey_page
