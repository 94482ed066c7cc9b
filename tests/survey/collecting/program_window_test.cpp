#include "survey/collecting/program_window.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>

namespace warptune::survey::collecting {

namespace {

TEST(ProgramWindowTest, BeginsNowAndHasNoEndUnlessAskedFor) {
  const std::uint64_t before = monotonic_ns();
  const ProgramWindow window = window_from_now(std::nullopt, std::nullopt);
  EXPECT_GE(window.began, before);
  EXPECT_EQ(window.start, window.began);
  EXPECT_EQ(window.stop, 0U);
}

TEST(ProgramWindowTest, TellsTheLibraryWhenToBeginAndToEnd) {
  const ProgramWindow window = window_from_now(1.5, 0.25);
  EXPECT_EQ(window.start - window.began, 1'500'000'000U);
  EXPECT_EQ(window.stop - window.start, 250'000'000U);
  ASSERT_EQ(window.variables().size(), 2U);
  EXPECT_EQ(window.variables()[0], "WARPTUNE_SURVEY_START=" + std::to_string(window.start));
  EXPECT_EQ(window.variables()[1], "WARPTUNE_SURVEY_STOP=" + std::to_string(window.stop));
}

}  // namespace

}  // namespace warptune::survey::collecting
