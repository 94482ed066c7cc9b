#include "tuner/manual/value_completion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warptune::tuner::manual {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ValueCompletionTest, WordsInSmallLettersAreValues) {
  EXPECT_THAT(completion_of("cold|warm", {}).words, ElementsAre("cold", "warm"));
  EXPECT_THAT(completion_of("header|t4", {}).words, ElementsAre("header", "t4"));
  EXPECT_THAT(completion_of("60s|200|all", {}).words, ElementsAre("all"));
  EXPECT_TRUE(completion_of("NAME=VALUE", {}).empty());
  EXPECT_TRUE(completion_of("0.9roof|0.3%", {}).empty());
  EXPECT_TRUE(completion_of("", {}).empty());
}

TEST(ValueCompletionTest, FilesAndFoldersAreCompletedAsSuch) {
  for (const char* const placeholder : {"FILE", "RECORDING", "KERNEL", "NAME|FILE"})
    EXPECT_TRUE(completion_of(placeholder, {}).files) << placeholder;
  const ValueCompletion folder = completion_of("DIR|none", {});
  EXPECT_TRUE(folder.folders);
  EXPECT_FALSE(folder.files);
  EXPECT_THAT(folder.words, ElementsAre("none"));
}

TEST(ValueCompletionTest, ACommaMakesAListAndKnownWordsFollowThoseOfThePlaceholder) {
  const ValueCompletion metrics = completion_of("core|NAME,...", {"dram", "core"});
  EXPECT_TRUE(metrics.is_list);
  EXPECT_THAT(metrics.words, ElementsAre("core", "dram"));
  EXPECT_FALSE(completion_of("NAME", {"auto"}).is_list);
  EXPECT_THAT(completion_of("NAME", {}).words, IsEmpty());
}

}  // namespace
}  // namespace warptune::tuner::manual
