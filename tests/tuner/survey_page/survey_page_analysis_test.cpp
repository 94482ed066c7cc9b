#include "tuner/survey_page/survey_page_analysis.h"

#include <gmock/gmock.h>

#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::survey_page {
namespace {

TEST(SurveyPageAnalysisTest, HasTheDevicesKernelsCopiesAndFindings) {
  survey::analysis::SurveyAnalysis analysis;
  analysis.launches = 3;
  survey::analysis::DeviceTime& device = analysis.devices.emplace_back();
  device.window = 100;
  device.idle = 40;
  device.idle_by_cause[1] = 40;
  survey::analysis::KernelTime& kernel = analysis.kernels.emplace_back();
  kernel.launches = 3;
  kernel.bound = 2.0;
  survey::analysis::CopyGroup& copies = analysis.copies.emplace_back();
  copies.direction = survey::records::CopyDirection::kHostToDevice;
  copies.source = survey::records::MemoryKind::kPinned;
  copies.destination = survey::records::MemoryKind::kDevice;
  analysis.findings.push_back({"rule", "title", {"evidence"}, "advice", 1.5});
  const nlohmann::ordered_json page = analysis_for_page(survey::testing::small_survey(), analysis);
  EXPECT_EQ(page["devices"][0]["idle_causes"], nlohmann::ordered_json::parse(R"([["launching", 40]])"));
  EXPECT_EQ(page["devices"][0]["idle_ns"], 40);
  EXPECT_EQ(page["kernels"][0]["bound"], 2.0);
  EXPECT_TRUE(page["kernels"][0]["occupancy"].is_null());
  EXPECT_EQ(page["copies"][0]["what"], "host to device, pinned to device");
  EXPECT_EQ(page["findings"][0]["evidence"][0], "evidence");
}

}  // namespace
}  // namespace warptune::tuner::survey_page
