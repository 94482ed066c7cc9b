#include "tuner/campaigns/size_lists.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace warptune::tuner::campaigns {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts_of(std::string_view range, std::size_t limit = 100) {
  std::vector<std::string> texts;
  for (const model::Value& value : range_values(range, limit, {})) texts.push_back(model::to_text(value));
  return texts;
}

std::string range_error(std::string_view range, std::size_t limit = 100) {
  try {
    texts_of(range, limit);
  } catch (const base::InputError& error) {
    return error.message();
  }
  return "no error";
}

TEST(SizeLists, ARangeDoublesOrHasAStep) {
  EXPECT_THAT(texts_of("64..512 log2"), ElementsAre("64", "128", "256", "512"));
  EXPECT_THAT(texts_of("48..200 log2"), ElementsAre("48", "96", "192"));
  EXPECT_THAT(texts_of("1k..4k step 1024"), ElementsAre("1024", "2048", "3072", "4096"));
  EXPECT_THAT(texts_of("5..5 step 7"), ElementsAre("5"));
  EXPECT_THAT(texts_of("4611686018427387904..9223372036854775807 log2"), ElementsAre("4611686018427387904"));
}

TEST(SizeLists, ARangeThatCannotBeReadSaysWhatWasExpected) {
  EXPECT_THAT(range_error("64..8"), HasSubstr("is empty"));
  EXPECT_THAT(range_error("0..8 log2"), HasSubstr("does not begin above 0"));
  EXPECT_THAT(range_error("1..8 twice"),
              HasSubstr("does not say how it continues; expected '64..8192 log2'"));
  EXPECT_THAT(range_error("1..8 step 0"), HasSubstr("has a step that is not a positive integer"));
  EXPECT_THAT(range_error("a..8 log2"), HasSubstr("limits that are not integers"));
  EXPECT_THAT(range_error("1..99999999999999999999 log2"), HasSubstr("not integers below 2^63"));
  EXPECT_THAT(range_error("from 1..8"), HasSubstr("does not begin with its limits"));
  EXPECT_THAT(range_error("1..101 step 1"), HasSubstr("more than 100 tasks"));
}

}  // namespace
}  // namespace warptune::tuner::campaigns
