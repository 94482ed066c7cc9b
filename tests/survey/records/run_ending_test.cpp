#include "survey/records/run_ending.h"

#include <gmock/gmock.h>

namespace warptune::survey::records {
namespace {

using ::testing::HasSubstr;

TEST(RunEndingTest, AProgramThatEndedWellNeedsNoSentence) {
  records::Run run;
  run.exit_code = 0;
  EXPECT_EQ(ending_of(run), "");
}

TEST(RunEndingTest, AnyOtherEndIsSaidWithItsTime) {
  records::Run run;
  run.duration = 1'500'000'000;
  EXPECT_EQ(ending_of(run), "The program still ran when the survey ended, after 1.50 s.");
  run.exit_code = 3;
  EXPECT_EQ(ending_of(run), "The program ended with exit code 3 after 1.50 s.");
  run.exit_code.reset();
  run.signal = 9;
  EXPECT_THAT(ending_of(run), HasSubstr("ended by signal 9 (Killed) after 1.50 s"));
}

}  // namespace
}  // namespace warptune::survey::records
