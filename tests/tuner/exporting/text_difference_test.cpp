#include "tuner/exporting/text_difference.h"

#include <gtest/gtest.h>

namespace warptune::tuner::exporting {
namespace {

TEST(TextDifferenceTest, ShowsTheLinesThatOnlyOneTextHas) {
  EXPECT_EQ(text_difference("a\nb\nc\n", "a\nx\nc\nc\n", 5), "\n- b\n+ x\n+ c");
}

TEST(TextDifferenceTest, LeavesOutMovedLinesAndTheGuard) {
  EXPECT_EQ(text_difference("#ifndef WARPTUNE_CUDA_12\na\nb\n", "#ifndef WARPTUNE_CUDA_34\nb\na\n", 5), "");
}

TEST(TextDifferenceTest, CountsWhatItDoesNotShow) {
  EXPECT_EQ(text_difference("a\nb\nc\nd", "", 1), "\n- a\n- and 3 lines more\n+ ");
}

}  // namespace
}  // namespace warptune::tuner::exporting
