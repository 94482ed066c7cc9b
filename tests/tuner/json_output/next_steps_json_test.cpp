#include "tuner/json_output/next_steps_json.h"

#include <gtest/gtest.h>

namespace warptune::tuner::json_output {
namespace {

using search::analysis::NextSteps;
using search::analysis::PairedEffect;

PairedEffect faster() {
  PairedEffect effect;
  effect.pairs = 5;
  effect.ratio = {0.5, 0.25, 0.75};
  return effect;
}

TEST(NextStepsJsonTest, EachSuggestionHasItsEvidence) {
  NextSteps steps;
  steps.roof_share = 0.5;
  steps.borders.push_back(
      {"A", std::int64_t{8}, std::int64_t{4}, faster(), 0.5, 0.625, std::int64_t{16}, "registers"});
  steps.blocked.push_back({"B", true, false, faster(), "A < 4"});
  steps.idle.push_back({"C", std::int64_t{1}, 0.25, 7, 2});
  steps.failing.push_back({"D", std::int64_t{3}, 4, "wrong_result", "x[0] is 3"});
  steps.slow.push_back({"E", std::int64_t{2}, 6, 1.5});
  const nlohmann::ordered_json effect = effect_json(faster());
  EXPECT_EQ(effect.dump(), R"({"pairs":5,"time_ratio":0.5,"low_time_ratio":0.25,"high_time_ratio":0.75})");
  const std::string text = effect.dump();
  EXPECT_EQ(next_steps_json(steps).dump(),
            R"({"roof_share":0.5,"borders":[{"parameter":"A","value":8,"inside":4,"next":16,"effect":)" +
                text +
                R"(,"best_time_ratio":0.5,"model_time_ratio":0.625,"limit":"registers"}],)"
                R"("blocked":[{"parameter":"B","value":true,"best_value":false,"effect":)" +
                text +
                R"(,"limit":"A < 4"}],"idle":[{"parameter":"C","value":1,"largest_effect_share":0.25,)"
                R"("pairs":7}],"failing":[{"parameter":"D","value":3,"rows":4,"status":"wrong_result",)"
                R"("reason":"x[0] is 3"}],"slow":[{"parameter":"E","value":2,"rows":6,"time_ratio":1.5}]})");
}

TEST(NextStepsJsonTest, WhatIsUnknownIsNull) {
  EXPECT_TRUE(effect_json({}).at("time_ratio").is_null());
  NextSteps steps;
  steps.borders.push_back({"A", std::int64_t{8}, std::int64_t{4}, {}, {}, 0.0, std::int64_t{16}, ""});
  const nlohmann::ordered_json written = next_steps_json(steps);
  EXPECT_TRUE(written.at("roof_share").is_null());
  EXPECT_TRUE(written.at("idle").empty());
  for (const char* key : {"best_time_ratio", "model_time_ratio", "limit"})
    EXPECT_TRUE(written.at("borders").at(0).at(key).is_null()) << key;
}

}  // namespace
}  // namespace warptune::tuner::json_output
