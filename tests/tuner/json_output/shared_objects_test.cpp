#include "tuner/json_output/shared_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"

namespace warptune::tuner::json_output {
namespace {

using nlohmann::json;

TEST(SharedObjectsTest, ValuesKeepTheOrderGiven) {
  EXPECT_EQ(values_json({{"Z", std::int64_t{1}}, {"A", std::string("x")}, {"M", 0.5}}).dump(),
            R"({"Z":1,"A":"x","M":0.5})");
  EXPECT_TRUE(value_json(std::numeric_limits<double>::infinity()).is_null());
}

TEST(SharedObjectsTest, AGpuAndAnEnvironmentHaveAllTheirFieldsByName) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.chip = "GH100";
  EXPECT_EQ(gpu_json(gpu).at("chip"), "GH100");
  EXPECT_EQ(gpu_json(gpu).at("sm_count"), gpu.sm_count);
  EXPECT_EQ(gpu_json(gpu).at("architecture"), "sm_90");
  const json environment =
      environment_json(model::Environment{"0.1.0", 13000, 12900, 1980, 3201, "0x4", "580.65.06"});
  EXPECT_EQ(environment.at("warptune_version"), "0.1.0");
  EXPECT_EQ(environment.at("nvrtc_version"), 12900);
  EXPECT_EQ(environment.at("throttle_reasons"), "0x4");
  EXPECT_EQ(environment.at("driver_release"), "580.65.06");
}

TEST(SharedObjectsTest, WhatIsUnknownIsNullAndNotMissing) {
  model::GpuDescription gpu = model::fictional_gpu();
  gpu.chip = "";
  EXPECT_TRUE(gpu_json(gpu).at("chip").is_null());
  for (const char* key :
       {"driver_version", "nvrtc_version", "sm_clock_mhz", "throttle_reasons", "driver_release"})
    EXPECT_TRUE(environment_json({}).at(key).is_null()) << key;
  EXPECT_TRUE(roofs_json({}).at("copy_bytes_per_s").is_null());
  EXPECT_TRUE(work_json({}).at("written_share").is_null());
  EXPECT_TRUE(resources_json({}).is_null());
  model::ResourceUse use;
  use.threads_per_block = 128;
  EXPECT_EQ(resources_json(use).at("registers_per_thread"), 0);
  EXPECT_TRUE(resources_json(use).at("theoretical_occupancy").is_null());
  EXPECT_TRUE(place_json({}).is_null());
  EXPECT_TRUE(place_json({"a.cu", 3, 0}).at("column").is_null());
}

TEST(MeasurementJsonTest, AFailureHasItsReasonAndNoTime) {
  model::Measurement measurement;
  measurement.configuration = {{"A", std::int64_t{1}}};
  measurement.status = model::Status::kWrongResult;
  measurement.reason = "off by one";
  const nlohmann::ordered_json report = measurement_json(measurement);
  EXPECT_EQ(report.at("status"), "wrong_result");
  EXPECT_EQ(report.at("reason"), "off by one");
  EXPECT_TRUE(report.at("median_ns").is_null());
  EXPECT_TRUE(report.at("verification").is_null());
  EXPECT_EQ(report.begin().key(), "configuration");
}

TEST(SharedObjectsTest, HotLinesAreRowsWithTheirStalls) {
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
  EXPECT_EQ(
      hot_lines_json(lines).dump(),
      R"({"samples":16,"dropped_samples":2,"launches":5,"problem":null,"lines":[{"file":"a.cu","line":7,)"
      R"("text":"x = 1;","samples":12,"samples_share":0.75,"stalls":{"barrier":9,"selected":3}}]})");
}

TEST(MeasurementJsonTest, HasTheShareOfTheRoofThatBindsIfItIsMeasured) {
  model::Measurement measurement;
  measurement.status = model::Status::kMeasured;
  measurement.time = {2000.0, 1900.0, 2100.0};
  const model::Work work{1e6, 4e6};
  const nlohmann::ordered_json report = measurement_json(measurement, work, {4e12, 60e12});
  EXPECT_DOUBLE_EQ(report.at("roof_share").get<double>(), 0.5);
  EXPECT_EQ(report.at("binding_roof"), "memory");
  EXPECT_TRUE(measurement_json(measurement).at("roof_share").is_null());
  measurement.status = model::Status::kDropped;
  EXPECT_TRUE(measurement_json(measurement, work, {4e12, 60e12}).at("roof_share").is_null());
}

TEST(JsonFormTest, TextThatIsNoUtf8IsShownAndNotRefused) {
  const nlohmann::ordered_json report = {{"reason", "error: \xe9 unexpected"}};
  EXPECT_EQ(json::parse(to_text(report)).at("reason"), "error: \xef\xbf\xbd unexpected");
  EXPECT_EQ(to_line(report).find('\n'), std::string::npos);
}

TEST(JsonFormTest, EveryOutputBeginsWithItsFormatAndTheVersion) {
  EXPECT_EQ(json_head("list").dump(), R"({"format":"warptune-list","version":2})");
}

}  // namespace
}  // namespace warptune::tuner::json_output
