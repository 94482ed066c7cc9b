#include "tuner/covers/size_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/error.h"

namespace warptune::tuner::covers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SizeRangeTest, ARangeIsReadAndWrittenAsTheSameText) {
  const SizeRange range =
      parse_range(" M=64..8k log2,N = 64..8192 step 64, K={1000,128} ,L=1..5,B=2", "here");
  EXPECT_EQ(range.text(), "M=64..8192 log2, N=64..8192 step 64, K={128,1000}, L=1..5, B=2");
  EXPECT_EQ(parse_range(range.text(), "here").entries, range.entries);
  EXPECT_EQ(range.entries[2].low, 128);
  EXPECT_EQ(range.entries[2].high, 1000);
}

TEST(SizeRangeTest, SizesBetweenTheListedOnesBelongToTheRange) {
  const SizeRange range = parse_range("M=64..8192 log2, K={128,1000}", "here");
  EXPECT_TRUE(range.contains({65, 500}));
  EXPECT_FALSE(range.contains({63, 500}));
  EXPECT_FALSE(range.contains({64, 1001}));
  EXPECT_FALSE(range.contains({}));
  EXPECT_EQ(range.size_of({{"K", std::int64_t{7}}, {"T", std::string("f32")}, {"M", std::int64_t{9}}}),
            (Size{9, 7}));
  EXPECT_EQ(range.size_of({{"K", std::int64_t{7}}}), Size{});
}

TEST(SizeRangeTest, WrongRangesAreRefusedWithTheirPlaces) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"", "here:1:1: expected the name of a size"},
           {"M", "here:1:2: expected '=' after the name of a size"},
           {"M=", "here:1:3: expected an integer from 1"},
           {"M=0", "here:1:3: expected an integer from 1 to 1099511627776, found 0"},
           {"M=1.5", "here:1:3: expected an integer"},
           {"M=64..32", "here:1:7: expected a size above 64"},
           {"M=64..64", "here:1:7: expected a size above 64"},
           {"M=64..128 log", "here:1:11: expected 'log2', 'step N', a comma or the end"},
           {"M=64..128 step 0", "here:1:16: expected an integer from 1"},
           {"M={1,2", "here:1:7: expected '}' at the end of the list"},
           {"M={1,1}", "here:1:6: 1 is listed twice"},
           {"M=1..2, M=3", "here:1:9: M is given twice"},
           {"M=1..2,", "here:1:8: expected the name of a size"}})
    EXPECT_THAT(error_of([&, &given = text] { parse_range(given, "here"); }), HasSubstr(message)) << text;
}

TEST(SizeRangeTest, AFileListsSizesWithTheirWeights) {
  const SizeRange range =
      parse_size_list("# sizes\nM=64 N=8k weight 2.5\n\nN=7, M=100  # a comment\n", "list");
  EXPECT_EQ(range.text(), "M=64..100, N=7..8192");
  ASSERT_EQ(range.listed.size(), 2U);
  EXPECT_THAT(range.listed[0].size, ElementsAre(64, 8192));
  EXPECT_DOUBLE_EQ(range.listed[0].weight, 2.5);
  EXPECT_THAT(range.listed[1].size, ElementsAre(100, 7));
  EXPECT_DOUBLE_EQ(range.listed[1].weight, 1.0);
}

TEST(SizeRangeTest, WrongFilesAreRefusedWithTheirPlaces) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {"\n# nothing\n", "list: expected a line for each size, found none"},
           {"M=1\nM=x\n", "list:2:3: expected an integer from 1 to 1099511627776, found x"},
           {"M=1\nN=1\n", "list:2:1: M is missing; every line has the same names"},
           {"M=1\nM=2 N=1\n", "list:2:1: expected the same names"},
           {"M=1 M=2\n", "list:1:5: M is given twice"},
           {"M=1\nM=1 weight 2\n", "list:2:1: this size is listed twice"},
           {"M=1 weight 0\n", "list:1:12: expected a weight above 0"},
           {"M=1 weight 1 N=2\n", "list:1:14: expected the end of the line"},
           {"weight 2\n", "expected sizes"}})
    EXPECT_THAT(error_of([&, &given = text] { parse_size_list(given, "list"); }), HasSubstr(message)) << text;
  EXPECT_THAT(error_of([] { read_sizes("/no/such/file"); }), HasSubstr("/no/such/file"));
  EXPECT_THAT(error_of([] { read_sizes(""); }),
              HasSubstr("--sizes: expected a file or a range, found an empty"));
}

TEST(SizeRangeTest, TheDistanceCountsDoublings) {
  EXPECT_DOUBLE_EQ(distance({64, 100}, {256, 50}), 3.0);
  EXPECT_DOUBLE_EQ(distance({64}, {64}), 0.0);
}

}  // namespace
}  // namespace warptune::tuner::covers
