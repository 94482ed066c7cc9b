#include "tuner/evaluation/ask_ahead.h"

#include <gtest/gtest.h>

namespace warptune::tuner::evaluation {
namespace {

TEST(AskAheadTest, WantsTwoProgramsForEachWorkerAndFourForEachGpu) {
  EXPECT_EQ(wanted_ahead(16, 1, 0), 36U);
  EXPECT_EQ(wanted_ahead(16, 2, 0), 40U);
  EXPECT_EQ(wanted_ahead(16, 1, 30), 6U);
  EXPECT_EQ(wanted_ahead(16, 1, 99), 0U);
}

}  // namespace
}  // namespace warptune::tuner::evaluation
