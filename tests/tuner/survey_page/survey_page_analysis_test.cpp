#include "tuner/survey_page/survey_page_analysis.h"

#include <gmock/gmock.h>

#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::survey_page {
namespace {

TEST(SurveyPageAnalysisTest, HasTheDevicesKernelsCopiesAndFindings) {
  survey::analysis::SurveyAnalysis analysis;
  analysis.launches = 3;
  survey::analysis::DeviceTime device;
  device.window = 100;
  device.kernels = 50;
  device.copies_only = 10;
  device.idle = device.idle_by_cause[1] = 40;
  analysis.devices.push_back(device);
  survey::analysis::KernelTime kernel;
  kernel.launches = 3;
  kernel.duration = 50;
  kernel.share = 1.0;
  kernel.bound = 2.0;
  analysis.kernels.push_back(kernel);
  survey::analysis::CopyGroup copies;
  copies.direction = survey::records::CopyDirection::kHostToDevice;
  copies.source = survey::records::MemoryKind::kPinned;
  copies.destination = survey::records::MemoryKind::kDevice;
  copies.count = 1;
  copies.bytes = 8;
  copies.duration = 10;
  analysis.copies.push_back(copies);
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
