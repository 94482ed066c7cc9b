#include "search/models/feature_map.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/spaces.h"

namespace warptune::search::models {
namespace {

using model::integers;

TEST(FeatureMap, GivesNumbersTheirRankAndTextOneColumnAValue) {
  model::Parameter text;
  text.name = "cache";
  text.values = {model::Value(std::string("ca")), model::Value(std::string("cg")),
                 model::Value(std::string("cs"))};
  const FeatureMap map({model::integers("n", {8, 2, 4}), text, model::integers("one", {5})});
  ASSERT_EQ(map.size(), 4U);
  EXPECT_EQ(map.groups(), (std::vector<std::size_t>{0, 1, 1, 1}));
  EXPECT_FLOAT_EQ(map.features({0, 0, 0})[0], 1.0F);
  EXPECT_FLOAT_EQ(map.features({1, 0, 0})[0], 0.0F);
  EXPECT_FLOAT_EQ(map.features({2, 0, 0})[0], 0.5F);
  EXPECT_FLOAT_EQ((map.features({0, 0, 0}) - map.features({0, 2, 0})).norm(), 1.0F);
}

TEST(FeatureMap, SaysHowOftenTwoDividesWhatIsNotAllPowersOfTwo) {
  const FeatureMap map({model::integers("block", {32, 48, 64, 72})});
  ASSERT_EQ(map.size(), 2U);
  EXPECT_FLOAT_EQ(map.features({2})[1], 1.0F);                                 // 64 = 2^6.
  EXPECT_FLOAT_EQ(map.features({3})[1], 0.0F);                                 // 72 = 2^3 * 9.
  EXPECT_FLOAT_EQ(map.features({1})[1], 1.0F / 3);                             // 48 = 2^4 * 3.
  EXPECT_EQ(FeatureMap({model::integers("block", {16, 32, 64})}).size(), 1U);  // The rank is enough.
  EXPECT_EQ(FeatureMap({model::integers("block", {0, 3, 4})}).size(), 1U);     // 0 has no alignment.
  EXPECT_EQ(FeatureMap({model::integers("block", {32, 48, 64})}, false).size(), 1U);
}

}  // namespace
}  // namespace warptune::search::models
