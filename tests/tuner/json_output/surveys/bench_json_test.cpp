#include "tuner/json_output/surveys/bench_json.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tuner/benching/bench_session.h"

namespace warptune::tuner::json_output::surveys {

namespace {

using nlohmann::ordered_json;

benching::Bench described() {
  benching::BenchRequest request;
  request.capture = std::string(WARPTUNE_SOURCE_FOLDER) + "/tests/survey/data/version1.wtcapture.zst";
  request.describe = true;
  return benching::bench(request);
}

TEST(BenchJson, HasParametersWithTheirPointers) {
  const ordered_json output = bench_json(described());
  EXPECT_TRUE(output["repeated"].is_null());
  const ordered_json& parameters = output["capture"]["parameters"];
  ASSERT_EQ(parameters.size(), 3U);
  EXPECT_EQ(parameters[0]["pointers"],
            ordered_json::parse(R"([{"offset": 8, "buffer": 0, "within": 4096}])"));
  EXPECT_EQ(parameters[2]["pointers"].size(), 0U);
  EXPECT_EQ(output["capture"]["buffers"][2]["variable"], "gain");
  EXPECT_EQ(output["capture"]["application_ns"], 3000.0);
}

TEST(BenchJson, HasTheKeysOfItsSchemaForARepeatedLaunch) {
  benching::Bench bench = described();
  bench.repeated.emplace();
  bench.repeated->replay.differences = {{1, 2, 3, 0.5}};
  bench.repeated->replay.in_a_row_samples_ns = {3030.0};
  const ordered_json repeated = bench_json(bench)["repeated"];
  const ordered_json schema = ordered_json::parse(
      std::ifstream(std::string(WARPTUNE_SOURCE_FOLDER) + "/tuner/json_output/schemas/bench.schema.json"));
  const ordered_json& described = schema["properties"]["repeated"]["oneOf"][0];
  for (const auto& [key, value] : repeated.items()) EXPECT_TRUE(described["properties"].contains(key)) << key;
  for (const ordered_json& key : described["required"])
    EXPECT_TRUE(repeated.contains(key.get<std::string>())) << key;
  EXPECT_FALSE(repeated["equal"]);
  EXPECT_EQ(repeated["differences"][0]["first_byte"], 3);
  EXPECT_EQ(repeated["in_a_row"]["samples_ns"][0], 3030.0);
}

}  // namespace

}  // namespace warptune::tuner::json_output::surveys
