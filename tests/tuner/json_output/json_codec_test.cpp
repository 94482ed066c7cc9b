#include "tuner/json_output/json_codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace warptune::tuner::json_output {
namespace {

using nlohmann::json;
TEST(JsonFormsTest, AnObjectForPeopleKeepsTheOrderGiven) {
  EXPECT_EQ(to_ordered_json({{"Z", std::int64_t{1}}, {"A", std::string("x")}, {"M", 0.5}}).dump(),
            R"({"Z":1,"A":"x","M":0.5})");
}

TEST(JsonFormsTest, AGpuAndAnEnvironmentHaveAllTheirFieldsByName) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.chip = "GH100";
  EXPECT_EQ(to_json(gpu).at("chip"), "GH100");
  EXPECT_EQ(to_json(gpu).at("sm_count"), gpu.sm_count);
  const json environment = to_json(model::Environment{"0.1.0", 13000, 12900, 1980, 3201, "0x4"});
  EXPECT_EQ(environment.at("warptune_version"), "0.1.0");
  EXPECT_EQ(environment.at("nvrtc_version"), 12900);
  EXPECT_EQ(environment.at("throttle_reasons"), "0x4");
}

TEST(JsonFormsTest, AReportOfAFailureHasItsReasonAndNoTime) {
  model::Measurement measurement;
  measurement.configuration = {{"A", std::int64_t{1}}};
  measurement.status = model::Status::kWrongResult;
  measurement.reason = "off by one";
  const nlohmann::ordered_json report = measurement_report(measurement);
  EXPECT_EQ(report.at("status"), "wrong_result");
  EXPECT_EQ(report.at("reason"), "off by one");
  EXPECT_TRUE(report.at("median_ns").is_null());
  EXPECT_EQ(report.begin().key(), "configuration");
}

TEST(JsonFormsTest, HotLinesAreRowsWithTheirStalls) {
  profiling::HotLines lines;
  profiling::HotLine& line = lines.lines.emplace_back();
  line.line = {"a.cu", 7};
  line.text = "x = 1;";
  line.samples = 12;
  line.share = 0.75;
  line.stalls = {{"barrier", 9}, {"selected", 3}};
  lines.samples = 16;
  lines.dropped = 2;
  lines.launches = 5;
  lines.problem = "none";
  EXPECT_EQ(to_json(lines).dump(),
            R"({"dropped":2,"launches":5,"lines":[{"file":"a.cu","line":7,"samples":12,"share":0.75,)"
            R"("stalls":[["barrier",9],["selected",3]],"text":"x = 1;"}],"problem":"none","samples":16})");
}

TEST(JsonFormsTest, AReportHasTheShareOfTheRoofThatBinds) {
  model::Measurement measurement;
  measurement.status = model::Status::kMeasured;
  measurement.time = {2000.0, 1900.0, 2100.0};
  const model::Work work{1e6, 4e6};
  const nlohmann::ordered_json report = measurement_report(measurement, work, {4e12, 60e12});
  EXPECT_DOUBLE_EQ(report.at("roof_share").get<double>(), 0.5);
  EXPECT_EQ(report.at("binding_roof"), "memory");
  EXPECT_FALSE(measurement_report(measurement).contains("roof_share"));
  measurement.status = model::Status::kDropped;
  EXPECT_FALSE(measurement_report(measurement, work, {4e12, 60e12}).contains("roof_share"));
}

TEST(JsonFormsTest, TextThatIsNoUtf8IsShownAndNotRefused) {
  const nlohmann::ordered_json report = {{"reason", "error: \xe9 unexpected"}};
  EXPECT_EQ(json::parse(to_text(report)).at("reason"), "error: \xef\xbf\xbd unexpected");
}

}  // namespace
}  // namespace warptune::tuner::json_output
