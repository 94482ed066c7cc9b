#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "search/strategy.h"
#include "tests/tuner/program.h"

namespace warptune::tuner::commands {
namespace {

TEST(StrategiesCommandTest, ListsEachStrategyWithItsSummaryAndSource) {
  testing::Warptune warptune;
  const nlohmann::json strategies = warptune.json_of({"strategies"}).at("strategies");
  const auto table = search::strategy_table();
  ASSERT_EQ(strategies.size(), table.size());
  const std::string text = warptune.run({"strategies"}).out;
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(strategies.at(i).at("strategy"), table[i].name);
    EXPECT_EQ(strategies.at(i).at("summary"), table[i].summary);
    EXPECT_EQ(strategies.at(i).at("source"), table[i].source);
    EXPECT_THAT(text, ::testing::HasSubstr("\n" + std::string(table[i].name) + " "));
  }
}

}  // namespace
}  // namespace warptune::tuner::commands
