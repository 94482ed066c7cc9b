#include "survey/collecting/call_nesting.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "tests/survey/collecting/stream_bytes.h"

namespace warptune::survey::collecting {

namespace {

TEST(OuterCallsTest, ACallWithinAnotherOfItsThreadIsLeftOut) {
  const OuterCalls calls({raw_call(120, 180, 2, 1), raw_call(100, 200, 1, 0), raw_call(130, 170, 3, 2)});
  ASSERT_EQ(calls.calls().size(), 1U);
  EXPECT_EQ(calls.calls()[0].correlation, 1U);
  for (const std::uint32_t correlation : {1U, 2U, 3U}) EXPECT_EQ(calls.find(correlation), 0);
  EXPECT_EQ(calls.find(4), -1);
}

TEST(OuterCallsTest, CallsOfOtherThreadsStay) {
  const OuterCalls calls({raw_call(120, 180, 2, 1, 6), raw_call(100, 200, 1, 0, 5)});
  ASSERT_EQ(calls.calls().size(), 2U);
  EXPECT_EQ(calls.find(1), 0);
  EXPECT_EQ(calls.find(2), 1);
}

TEST(OuterCallsTest, CallsThatFollowEachOtherStay) {
  const OuterCalls calls({raw_call(200, 300, 2, 1), raw_call(100, 200, 1, 0), raw_call(300, 301, 3, 0)});
  ASSERT_EQ(calls.calls().size(), 3U);
  EXPECT_EQ(calls.find(3), 2);
}

TEST(OuterCallsTest, TheLongerOfTwoCallsThatBeginTogetherIsTheOuterOne) {
  const OuterCalls calls({raw_call(100, 150, 2, 1), raw_call(100, 200, 1, 0)});
  ASSERT_EQ(calls.calls().size(), 1U);
  EXPECT_EQ(calls.calls()[0].correlation, 1U);
}

TEST(OuterCallsTest, ZeroIsNoCorrelation) {
  const OuterCalls calls({raw_call(100, 150, 0, 0)});
  EXPECT_EQ(calls.find(0), -1);
}

TEST(OuterCallsTest, TheOrderIsThatOfTheStartInAllThreads) {
  const OuterCalls calls(
      {raw_call(300, 310, 1, 0, 5), raw_call(100, 110, 2, 0, 9), raw_call(200, 210, 3, 0, 5)});
  ASSERT_EQ(calls.calls().size(), 3U);
  EXPECT_EQ(calls.find(2), 0);
  EXPECT_EQ(calls.find(3), 1);
  EXPECT_EQ(calls.find(1), 2);
}

}  // namespace

}  // namespace warptune::survey::collecting
