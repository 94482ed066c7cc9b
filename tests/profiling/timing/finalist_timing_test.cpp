#include "profiling/timing/finalist_timing.h"

#include <gtest/gtest.h>

namespace warptune::profiling::timing {
namespace {

TEST(ConfirmationTest, ThreeHundredLaunchesFindWhatIsWrongInOneOfAHundred) {
  Confirmation confirmation;
  EXPECT_EQ(confirmation.chance_of_detection(100.0), 0.0);
  confirmation.launches = 1;
  EXPECT_NEAR(confirmation.chance_of_detection(100.0), 0.01, 1e-12);
  confirmation.launches = 300;
  EXPECT_GT(confirmation.chance_of_detection(100.0), 0.95);
  EXPECT_EQ(confirmation.chance_of_detection(1.0), 1.0);
}

TEST(ConfirmationTest, StandsUnlessSomethingWasWrong) {
  Confirmation confirmation;
  EXPECT_TRUE(confirmation.has_passed());
  confirmation.verdict = {model::Status::kImplausible, "remembers"};
  EXPECT_FALSE(confirmation.has_passed());
}

}  // namespace
}  // namespace warptune::profiling::timing
