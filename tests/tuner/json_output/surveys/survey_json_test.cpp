#include "tuner/json_output/surveys/survey_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "survey/records/survey_file.h"
#include "tests/survey/imagined_programs.h"
#include "tests/survey/synthetic_survey.h"

namespace warptune::tuner::json_output::surveys {
namespace {

using nlohmann::ordered_json;
using survey::analysis::analyse;
using survey::records::Survey;

// Whether a document has exactly the keys of an object of a schema, and so on for all objects within.
// References are not followed.
void expect_keys(const ordered_json& schema, const ordered_json& document, const std::string& place) {
  if (schema.contains("properties")) {
    for (const auto& [key, value] : document.items()) {
      ASSERT_TRUE(schema["properties"].contains(key)) << place << "/" << key;
      expect_keys(schema["properties"][key], value, place + "/" + key);
    }
    for (const ordered_json& key : schema["required"])
      EXPECT_TRUE(document.contains(key.get<std::string>())) << place << "/" << key;
  }
  if (schema.contains("items")) {
    for (const ordered_json& item : document) expect_keys(schema["items"], item, place + "/[]");
  }
}

ordered_json schema(const std::string& name) {
  return ordered_json::parse(std::ifstream(std::string(WARPTUNE_SOURCE_FOLDER) +
                                           "/tuner/json_output/schemas/" + name + ".schema.json"));
}

TEST(SurveyJson, HasTheKeysOfItsSchema) {
  for (const survey::ImaginedProgram& program : survey::imagined_programs()) {
    const Survey survey = program.run(true);
    const ordered_json output = survey_json(survey, analyse(survey));
    expect_keys(schema("survey"), output, program.fault);
    EXPECT_EQ(output["findings"][0]["rule"], program.fault);
    EXPECT_EQ(output["devices"][0]["gpu"]["sm_count"], survey.devices[0].gpu.sm_count);
  }
}

TEST(SurveyJson, HasTheCountersOfKernels) {
  const Survey survey = survey::records::read_survey(std::string(WARPTUNE_SOURCE_FOLDER) +
                                                     "/tests/survey/data/version2.wtsurvey.zst");
  const ordered_json output = survey_json(survey, analyse(survey));
  expect_keys(schema("survey"), output, "counted");
  ASSERT_EQ(output["counted_kernels"].size(), 1U);
  const ordered_json& kernel = output["counted_kernels"][0];
  EXPECT_EQ(kernel["kernel"], "strided(float const*, float*, int)");
  EXPECT_EQ(kernel["launch_count"], 3);
  EXPECT_EQ(kernel["shape"]["grid"][0], 65536);
  EXPECT_GT(kernel["counters"]["dram__bytes.sum"], 1e9);
  EXPECT_EQ(kernel["diagnosis"]["findings"][0]["rule"], "uncoalesced_loads");
  EXPECT_TRUE(output["run"]["counting_problem"].is_null());
}

TEST(SurveyJson, HasDirectionsAndKindsOfMemoryAsWords) {
  const Survey survey = survey::imagined_programs().front().run(true);
  const ordered_json copies = survey_json(survey, analyse(survey))["copies"];
  EXPECT_EQ(copies[0]["direction"], "host_to_device");
  EXPECT_EQ(copies[0]["source"], "pageable");
  EXPECT_EQ(copies[0]["asynchronous"], false);
  EXPECT_EQ(copies[0]["count"], 50);
}

TEST(SurveyJson, HasFillsGraphsCallsAndRanges) {
  const Survey survey = survey::testing::small_survey();
  const ordered_json output = survey_json(survey, analyse(survey));
  expect_keys(schema("survey"), output, "small");
  EXPECT_EQ(output["fills"][0]["destination"], "device");
  EXPECT_EQ(output["fills"][0]["bytes"], 4096);
  EXPECT_EQ(output["graphs"][0]["pid"], 77);
  EXPECT_EQ(output["graphs"][0]["kernel_count"], 1);
  EXPECT_EQ(output["calls"][0]["name"], "cudaMemcpy");
  EXPECT_EQ(output["calls"][0]["kind"], "copy");
  EXPECT_EQ(output["calls"][1]["count"], 2);
  EXPECT_EQ(output["ranges"][0]["duration_ns"], 950'600);
  EXPECT_EQ(output["ranges"][0]["launch_count"], 3);
  EXPECT_LT(output["ranges"][0]["busy_ns"], output["ranges"][0]["open_ns"]);
  EXPECT_EQ(output["kernels"][1]["occupancy_limiters"], ordered_json({"registers"}));
}

TEST(SurveyJson, WhatIsUnknownIsNull) {
  Survey survey;
  survey.run.signal = 9;
  survey.processes.resize(1);
  const ordered_json output = survey_json(survey, analyse(survey));
  expect_keys(schema("survey"), output, "empty");
  EXPECT_TRUE(output["run"]["exit_code"].is_null());
  EXPECT_EQ(output["run"]["signal"], 9);
  EXPECT_TRUE(output["host_link_bytes_per_s"].is_null());
  EXPECT_TRUE(output["processes"][0]["problem"].is_null());
}

TEST(SurveyComparisonJson, HasTheChangesInTheirOrder) {
  const survey::ImaginedProgram& program = survey::imagined_programs().back();
  const Survey before = program.run(false);
  const Survey after = program.run(true);
  const ordered_json output = survey_comparison_json(compare(before, analyse(before), after, analyse(after)));
  expect_keys(schema("survey-comparison"), output, "comparison");
  EXPECT_EQ(output["changes"][0]["kind"], "kernel");
  EXPECT_EQ(output["changes"][0]["before_count"], 0);
  EXPECT_EQ(output["changes"][0]["after_count"], 20);
  EXPECT_GT(output["run"]["after_ns"], output["run"]["before_ns"]);
}

}  // namespace
}  // namespace warptune::tuner::json_output::surveys
